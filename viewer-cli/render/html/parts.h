// The sections of one device that are text: budget, table, findings, gaps, workers. Figures are
// those of the text report, made by the same code.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "viewer-cli/render/html/palette.h"
#include "viewer-cli/render/sections.h"

namespace gpustall::cli {

struct SourceLine {
  int32_t number = 0;
  std::string text;
};
// The lines around a place; empty where the file is not at hand or was changed.
using Excerpts = std::function<std::vector<SourceLine>(const collect::ModelSite&)>;

// One bar: where a step (or the time) goes.
std::string budget_bar(const View& view, const Palette& palette);
std::string idle_table(const View& view, const ReportOptions& options, const Places& places,
                       const Palette& palette);
// What is busy without computing; empty where the text report has no such table.
std::string busy_table(const View& view, const ReportOptions& options, const Places& places);
std::string findings_list(const std::vector<Finding>& found, const Places& places,
                          const Palette& palette, const Excerpts& excerpts);
std::string gaps_list(const View& view, const Palette& palette, const Places& places,
                      const std::string& id, size_t most_gaps);  // `id`: begins those of its stacks
std::string workers_table(const View& view, const Places& places);

}  // namespace gpustall::cli
