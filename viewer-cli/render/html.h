// `gpustall report --html`: the report as one page that needs nothing else: no network, no library,
// and for all but picking and reading out no script. Its size is bounded, however long the run.
// Figures are those of the text report, made by the same code.
#pragma once
#include <string>

#include "viewer-cli/render/diff.h"
#include "viewer-cli/render/html/parts.h"

namespace gpustall::cli {

struct HtmlOptions {
  ReportOptions report;
  Excerpts excerpts;    // may be empty
  std::string version;  // of gpustall
};

std::string render_html(const collect::Model& model, const HtmlOptions& options);

// `gpustall diff --html`: the comparison in the same way, with the figures of its text.
std::string render_diff_html(const collect::Comparison& comparison, const DiffOptions& options,
                             const std::string& version);

}  // namespace gpustall::cli
