#include "collector/compare/verdict.h"

#include <algorithm>
#include <cmath>

#include "collector/base_name.h"
#include "collector/compare/resample.h"
#include "collector/compare/wording.h"

namespace gpustall::collect {
namespace {

constexpr size_t kNamed = 2;          // culprits in the sentence
constexpr double kWorthNaming = 0.1;  // of the step's change, or of the line's

std::string percent(double part, double whole) {
  return whole > 0 ? printed("%.1f %%", 100 * part / whole) : "-";
}

// "40.33 -> 41.52 ms per step"
std::string times(const Change& span) {
  return ms_text(span.base) + " -> " + ms_text(span.next) + " ms per step";
}

// "data.main at train.py:28 (+2.00 ms)", "train.py:28 (+12.0 ms in all: data.main, host.starved)"
std::string named(const ChangeRow& row) {
  const std::vector<Cause> causes = telling_causes(row);
  std::string text = name_of(row) + " (" + signed_ms(row.change.change()) + " ms";
  for (size_t i = 0; i < causes.size() && causes.size() > 1; ++i)
    text += (i == 0 ? " in all: " : ", ") + std::string(text_of(causes[i]).id);
  return text + ")";
}

std::string named_culprits(const DeviceComparison& device) {
  const std::vector<const ChangeRow*> rows = culprits(device);
  if (rows.empty()) return "; no single cause stands out";
  std::string text = rows.size() > kNamed ? "; most of it " : "; ";
  for (size_t i = 0; i < rows.size() && i < kNamed; ++i)
    text += (i == 0 ? "" : ", ") + named(*rows[i]);
  return text;
}

// Where the change would stand out but for the machine's other load.
std::string load_text(const DeviceComparison& device) {
  const Change& span = device.span;
  if (device.load_ns <= 0 || std::abs(span.change()) <= *span.margin - device.load_ns) return {};
  return "; threads waited for a core, so the machine was busy, and what that added cannot be told "
         "from the program: repeat it, and give several runs with --base and --new";
}

std::string without_steps(const DeviceComparison& device) {
  const Change &idle = device.idle, &span = device.span;
  const double base = double(span.base_ns), next = double(span.next_ns);
  const std::string whole = std::max(base, next) < 1e9
                                ? ms_text(base) + " -> " + ms_text(next) + " ms"
                                : printed("%.2f -> %.2f s", base / 1e9, next / 1e9);
  return "No steps to compare: GPU idle " + percent(idle.base, span.base) + " -> " +
         percent(idle.next, span.next) + " of the time; whole recordings " + whole + ".";
}

}  // namespace

Outcome outcome_of(const DeviceComparison& device) {
  if (device.unit != Unit::Step || !device.span.margin) return Outcome::Inconclusive;
  if (!device.span.distinguishable) return Outcome::Same;
  return device.span.change() > 0 ? Outcome::Slower : Outcome::Faster;
}

std::vector<const ChangeRow*> culprits(const DeviceComparison& device) {
  const double moved = device.span.change();
  std::vector<const ChangeRow*> rows;
  for (const auto* list : {&device.line_rows, &device.busy_rows})
    for (const ChangeRow& row : *list)
      if (row.kind != ChangeRow::Kind::Others && row.change.distinguishable &&
          row.change.change() * moved > 0 &&
          std::abs(row.change.change()) >= kWorthNaming * std::abs(moved))
        rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(), [](const ChangeRow* a, const ChangeRow* b) {
    return std::abs(a->change.change()) > std::abs(b->change.change());
  });
  return rows;
}

std::vector<Cause> telling_causes(const ChangeRow& row) {
  const double moved = row.change.change();
  std::vector<Cause> causes;
  for (const LinePart& part : row.parts)
    if (part.change() * moved > 0 && std::abs(part.change()) >= kWorthNaming * std::abs(moved))
      causes.push_back(part.cause);
  if (causes.empty() && row.kind == ChangeRow::Kind::Cause) causes.push_back(row.cause);
  return causes;
}

std::string name_of(const ChangeRow& row) {
  if (row.kind == ChangeRow::Kind::Compute) return "the GPU's own work";
  const std::string name(text_of(row.cause).id);
  const std::optional<ModelSite>& site = row.next_site ? row.next_site : row.base_site;
  if (!site || (site->file.empty() && site->function.empty())) return name;
  const bool is_function = site->is_def || site->file.empty();  // an operator has no line
  const std::string line = base_name(site->file) + ":" + std::to_string(site->line);
  const std::string place = site->file.empty() ? site->function
                            : site->is_def     ? site->function + " (" + line + ")"
                                               : line;
  return telling_causes(row).size() > 1 ? place : name + (is_function ? " in " : " at ") + place;
}

std::string verdict_of(const Comparison& comparison) {
  if (comparison.devices.empty()) return "Nothing to compare: no GPU work on both sides.";
  const DeviceComparison& device = comparison.devices.front();
  const Change& span = device.span;
  if (device.unit == Unit::Second) return without_steps(device);
  if (!span.margin)
    return "INCONCLUSIVE: " + times(span) + ", but fewer than " + std::to_string(kFewestSteps) +
           " steps to judge it by.";
  const bool alone = comparison.base.size() == 1 && comparison.next.size() == 1;
  const std::string change = percent(std::abs(span.change()), span.base) + " +- " +
                             percent(*span.margin, span.base) + (alone ? ", one run each" : "");
  switch (comparison.outcome) {
    case Outcome::Slower:
      return "SLOWER by " + change + ": " + times(span) + named_culprits(device) + ".";
    case Outcome::Faster:
      return "FASTER by " + change + printed(" (%.2fx): ", span.base / std::max(span.next, 1.0)) +
             times(span) + named_culprits(device) + ".";
    case Outcome::Same:
    case Outcome::Inconclusive:
      break;
  }
  return "NOT DISTINGUISHABLE: " + times(span) + ", a change of " +
         printed("%+.1f %%", 100 * span.change() / std::max(span.base, 1.0)) + " +- " +
         percent(*span.margin, span.base) + (alone ? ", one run each" : "") + load_text(device) +
         ".";
}

}  // namespace gpustall::collect
