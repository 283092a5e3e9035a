// What to do about the largest causes. No advice without a remedy, and none where the verdict says
// that there is nothing to gain.
#include "viewer-cli/render/sections.h"

#include <algorithm>
#include <cstdio>

#include "viewer-cli/render/table.h"
#include "viewer-cli/render/units.h"

namespace gpustall::cli {

namespace {

using collect::CauseRow;
using collect::Gain;

// A cause below this share of all time is not worth a paragraph.
constexpr double kWorthAdvice = 0.01;

bool is_busy_row(const View& view, const CauseRow& row) {
  const auto& rows = view.window->busy_causes;
  return !rows.empty() && &row >= rows.data() && &row < rows.data() + rows.size();
}

std::string gain_text(const View& view, const CauseRow& row) {
  char text[128];
  if (row.gain && view.process != nullptr && view.process->steps) {
    const double step_ns = static_cast<double>(view.process->steps->mean_ns);
    const Gain& gain = *row.gain;
    const int decimals = decimals_for(step_ns);
    std::snprintf(text, sizeof text, "%s -> %s..%s ms/step if fixed",
                  milliseconds(step_ns, decimals).c_str(),
                  milliseconds(step_ns * (1 - gain.high_pct / 100), decimals).c_str(),
                  milliseconds(step_ns * (1 - gain.low_pct / 100), decimals).c_str());
    return text;
  }
  const bool busy = is_busy_row(view, row);
  return (busy ? "busy without computing " : "idle ") + duration(view.per_unit(row.ns)) + " per " +
         view.unit() + " (" + percent(view.share(row.ns)) + ")";
}

std::string count_note(const View& view, const CauseRow& row) {
  if (row.count == 0) return {};
  char text[96];
  if (view.steps > 0) {
    const double count = static_cast<double>(row.count) / view.divisor;
    std::snprintf(text, sizeof text, "%.3g gap%s per step", count, count == 1 ? "" : "s");
  } else {
    std::snprintf(text, sizeof text, "%s gap%s", grouped(row.count).c_str(),
                  row.count == 1 ? "" : "s");
  }
  std::string note = text;
  if (row.every_steps && *row.every_steps > 1) {
    note += ", every " + std::to_string(*row.every_steps) + " steps";
  }
  return note + ".";
}

std::string also_note(const CauseRow& row) {
  if (row.also.empty()) return {};
  std::string note = "The same time would also go away without: ";
  for (size_t i = 0; i < row.also.size(); ++i) {
    note += (i == 0 ? "" : "; ") + std::string(text_of(row.also[i]).title);
  }
  return note + ".";
}

std::string group_note(const View& view, const CauseRow& row, const Places& places) {
  if (row.group == 0) return {};
  std::string members;
  for (const CauseRow& other : view.window->causes) {
    if (&other == &row || other.group != row.group) continue;
    members += (members.empty() ? "" : ", ") + places.where(other.site);
  }
  return members.empty() ? std::string{} : "Helps only when fixed together with " + members + ".";
}

std::string shortened(const std::string& frame, const Places& places) {
  // "file:line function": only the file is shortened.
  const size_t colon = frame.find(':');
  if (colon == std::string::npos) return printable(frame);
  return places.file(frame.substr(0, colon)) + printable(frame.substr(colon));
}

Finding finding_of(const View& view, const CauseRow& row, const ReportOptions& options,
                   const Places& places) {
  Finding finding;
  finding.title = std::string(text_of(row.cause).id) + ": " + title_of(row);
  finding.gain = gain_text(view, row);
  finding.where = places.where(row.site);
  if (row.site) {
    finding.source = printable(row.site->text.empty() ? row.site->function : row.site->text);
  }
  finding.remedy = text_of(row.cause).remedy;
  for (std::string note : {count_note(view, row), group_note(view, row, places), also_note(row)}) {
    if (!note.empty()) finding.notes.push_back(std::move(note));
  }
  if (options.stacks) {
    for (const std::string& frame : row.stack) finding.stack.push_back(shortened(frame, places));
  }
  return finding;
}

}  // namespace

std::vector<Finding> findings(const View& view, const ReportOptions& options,
                              const Places& places) {
  std::vector<Finding> found;
  const bool healthy = view.model->verdict_code == "healthy";
  const bool asked = options.top == 0 || options.stacks;
  if (healthy && !asked) return found;
  std::vector<const CauseRow*> rows;
  for (const auto* causes : {&view.window->causes, &view.window->busy_causes}) {
    for (const CauseRow& row : *causes) {
      const bool worth = view.share(row.ns) >= kWorthAdvice || asked;
      if (worth && !text_of(row.cause).remedy.empty()) rows.push_back(&row);
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const CauseRow* a, const CauseRow* b) { return a->ns > b->ns; });
  for (const CauseRow* row : rows) {
    if (found.size() == options.advice) break;
    found.push_back(finding_of(view, *row, options, places));
  }
  return found;
}

}  // namespace gpustall::cli
