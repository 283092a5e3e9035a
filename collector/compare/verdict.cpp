#include "collector/compare/verdict.h"

#include <algorithm>
#include <cmath>

#include "collector/compare/resample.h"
#include "collector/compare/wording.h"

namespace gpustall::collect {
namespace {

constexpr size_t kNamed = 2;          // culprits in the sentence
constexpr double kWorthNaming = 0.1;  // of the step's change

std::string percent(double part, double whole) {
  return whole > 0 ? printed("%.1f %%", 100 * part / whole) : "-";
}

// "40.33 -> 41.52 ms per step"
std::string times(const Change& span) {
  return ms_text(span.base) + " -> " + ms_text(span.next) + " ms per step";
}

std::string named_culprits(const DeviceComparison& device) {
  const std::vector<const ChangeRow*> rows = culprits(device);
  if (rows.empty()) return "; no single cause stands out";
  std::string text = rows.size() > kNamed ? "; most of it " : "; ";
  for (size_t i = 0; i < rows.size() && i < kNamed; ++i)
    text += (i == 0 ? "" : ", ") + name_of(*rows[i]) + " (" + signed_ms(rows[i]->change.change()) +
            " ms)";
  return text;
}

std::string without_steps(const DeviceComparison& device) {
  const Change &idle = device.idle, &span = device.span;
  return "No steps to compare: GPU idle " + percent(idle.base, span.base) + " -> " +
         percent(idle.next, span.next) + " of the time; whole recordings " +
         printed("%.2f -> %.2f s", double(span.base_ns) / 1e9, double(span.next_ns) / 1e9) + ".";
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
  for (const auto* list : {&device.idle_rows, &device.busy_rows})
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

std::string name_of(const ChangeRow& row) {
  if (row.kind == ChangeRow::Kind::Compute) return "the GPU's own work";
  std::string name(text_of(row.cause).id);
  const std::optional<ModelSite>& site = row.next_site ? row.next_site : row.base_site;
  if (!site || site->file.empty()) return name;
  return name + " at " + site->file.substr(site->file.rfind('/') + 1) + ":" +
         std::to_string(site->line);
}

std::string verdict_of(const Comparison& comparison) {
  if (comparison.devices.empty()) return "Nothing to compare: no GPU work on both sides.";
  const DeviceComparison& device = comparison.devices.front();
  const Change& span = device.span;
  if (device.unit == Unit::Second) return without_steps(device);
  if (!span.margin)
    return "INCONCLUSIVE: " + times(span) + ", but fewer than " + std::to_string(kFewestSteps) +
           " steps to judge it by.";
  const std::string change =
      percent(std::abs(span.change()), span.base) + " +- " + percent(*span.margin, span.base);
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
         percent(*span.margin, span.base) + ".";
}

}  // namespace gpustall::collect
