// `gpustall report` as text and as Markdown: verdict first, then where the time went, then what to
// do. Everything comes from the model; the only file that may be read is none.
#pragma once
#include <string>

#include "collector/model.h"
#include "viewer-cli/render/sections.h"
#include "viewer-cli/render/view.h"
#include "viewer-cli/terminal.h"

namespace gpustall::cli {

std::string render_report(const collect::Model& model, const ReportOptions& options,
                          const Terminal& terminal);
std::string render_markdown(const collect::Model& model, const ReportOptions& options);
std::string finding_markdown(const Finding& finding);  // one paragraph
// Three lines for the end of `run`: the verdict, the largest cause, its remedy.
std::string render_verdict(const collect::Model& model, const Terminal& terminal);

}  // namespace gpustall::cli
