#include "collector/model/line_costs.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace gpustall::collect {

std::vector<LineCost> line_costs(const std::vector<CauseRow>& rows) {
  std::map<std::pair<std::string_view, int32_t>, LineCost> by_line;
  for (const CauseRow& row : rows) {
    if (!row.site || row.site->file.empty()) continue;
    LineCost& line = by_line[{row.site->file, row.site->line}];
    line.ns += row.ns;
    line.rows.push_back(&row);
  }
  std::vector<LineCost> lines;
  for (auto& [place, line] : by_line) lines.push_back(std::move(line));
  for (LineCost& line : lines)
    std::stable_sort(line.rows.begin(), line.rows.end(),
                     [](const CauseRow* a, const CauseRow* b) { return a->ns > b->ns; });
  std::stable_sort(lines.begin(), lines.end(),
                   [](const LineCost& a, const LineCost& b) { return a.ns > b.ns; });
  return lines;
}

std::vector<CauseCost> main_causes(const LineCost& line) {
  std::map<Cause, int64_t> sums;
  for (const CauseRow* row : line.rows) sums[row->cause] += row->ns;
  std::vector<CauseCost> causes;
  for (const auto& [cause, ns] : sums)
    if (ns > 0 && ns * 10 >= line.ns) causes.push_back({cause, ns});
  std::stable_sort(causes.begin(), causes.end(),
                   [](const CauseCost& a, const CauseCost& b) { return a.ns > b.ns; });
  return causes;
}

}  // namespace gpustall::collect
