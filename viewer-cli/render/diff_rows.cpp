#include "viewer-cli/render/diff_rows.h"

#include <algorithm>

#include "collector/compare/verdict.h"
#include "viewer-cli/render/kernel_name.h"
#include "viewer-cli/render/places.h"
#include "viewer-cli/render/table.h"
#include "viewer-cli/render/units.h"

namespace gpustall::cli {

namespace {

using collect::Change;
using collect::ChangeRow;
using collect::DeviceComparison;
using collect::ModelSite;

constexpr size_t kCausesOfLine = 3;  // named in one cell

Places places_of(const DeviceComparison& device, std::optional<ModelSite> ChangeRow::*site) {
  std::vector<std::string> files;
  for (const auto* rows : {&device.idle_rows, &device.line_rows, &device.busy_rows})
    for (const ChangeRow& row : *rows)
      if (row.*site) files.push_back((row.*site)->file);
  return Places(files);
}

class Rows {
 public:
  Rows(const DeviceComparison& device, DiffBy by)
      : device_(device),
        base_places_(places_of(device, &ChangeRow::base_site)),
        next_places_(places_of(device, &ChangeRow::next_site)) {
    const double largest = std::max(device.span.base, device.span.next);
    decimals_ = decimals_for(largest);
    unit_ = decimals_ == 1 ? 1e5 : decimals_ == 2 ? 1e4 : 1e3;
    idle_ = by == DiffBy::Cause  ? &device.cause_rows
            : by == DiffBy::Line ? &device.line_rows
                                 : &device.idle_rows;
  }

  std::vector<DiffRow> run() {
    round(&Change::base, base_);
    round(&Change::next, next_);
    int64_t base_idle = 0, next_idle = 0, base_busy = 0, next_busy = 0;
    add_rows(*idle_, base_idle, next_idle);
    add_total("GPU idle", device_.idle, base_idle, next_idle);
    add_rows(device_.busy_rows, base_busy, next_busy);
    // A single row that is the total needs no total.
    if (device_.busy_rows.size() > 1) add_total("GPU busy", device_.busy, base_busy, next_busy);
    const bool steps = device_.unit == collect::Unit::Step;
    if (steps) add_total("STEP TIME", device_.span, base_idle + base_busy, next_idle + next_busy);
    return std::move(rows_);
  }

 private:
  // Idle and busy rows together: they tile the step.
  void round(double Change::*side, std::vector<int64_t>& rounded) const {
    std::vector<double> parts;
    for (const auto* rows : {idle_, &device_.busy_rows})
      for (const ChangeRow& row : *rows) parts.push_back(row.change.*side);
    rounded = round_together(parts, unit_);
  }

  std::string number(int64_t units) const {
    return milliseconds(static_cast<double>(units) * unit_, decimals_);
  }

  DiffRow numbers(const Change& change, int64_t base, int64_t next) const {
    DiffRow row;
    row.base = number(base);
    row.next = number(next);
    row.change = (next >= base ? "+" : "") + number(next - base);
    if (change.margin) row.margin = "+-" + milliseconds(*change.margin, decimals_);
    if (change.margin && !change.distinguishable) row.noise = "within noise";
    return row;
  }

  void add_rows(const std::vector<ChangeRow>& list, int64_t& base_sum, int64_t& next_sum) {
    for (const ChangeRow& change : list) {
      const int64_t base = base_[at_], next = next_[at_];
      ++at_;
      base_sum += base;
      next_sum += next;
      DiffRow row = numbers(change.change, base, next);
      name(row, change);
      rows_.push_back(std::move(row));
    }
  }

  void add_total(const char* title, const Change& change, int64_t base, int64_t next) {
    DiffRow row = numbers(change, base, next);
    row.kind = DiffRow::Kind::Total;
    row.id = title;
    rows_.push_back(std::move(row));
  }

  void name(DiffRow& row, const ChangeRow& change) const {
    if (change.kind == ChangeRow::Kind::Compute) {
      row.id = "computing";
    } else if (change.kind == ChangeRow::Kind::Others) {
      row.id = "[" + std::to_string(change.merged) + (change.merged == 1 ? " other]" : " others]");
    } else {
      row.id = text_of(change.cause).id;
      if (family_of(change.cause) == collect::CauseFamily::Unknown) row.id = "[" + row.id + "]";
      row.where = where(change);
      row.words = text_of(change.cause).title;
      if (!change.object.empty()) row.words += ": " + short_kernel_name(printable(change.object));
      if (!change.parts.empty()) name_line(row, change);
    }
  }

  // All causes of a line, and the line itself.
  static void name_line(DiffRow& row, const ChangeRow& change) {
    const std::vector<collect::Cause> causes = telling_causes(change);
    for (size_t i = 1; i < causes.size() && i < kCausesOfLine; ++i)
      row.id += ", " + std::string(text_of(causes[i]).id);
    if (causes.size() > kCausesOfLine)
      row.id += " and " + std::to_string(causes.size() - kCausesOfLine);
    const std::optional<ModelSite>& site = change.next_site ? change.next_site : change.base_site;
    if (site && !site->text.empty()) row.words = printable(site->text);
  }

  std::string where(const ChangeRow& row) const {
    if (!row.base_site && !row.next_site) return {};
    if (!row.next_site) return base_places_.where(row.base_site);
    const std::string here = next_places_.where(row.next_site);
    if (!row.base_site) return here;
    const std::string there = base_places_.where(row.base_site);
    if (here == there) return here;
    const bool same_file =
        base_places_.file(row.base_site->file) == next_places_.file(row.next_site->file);
    return here + " (was " + (same_file ? std::to_string(row.base_site->line) : there) + ")";
  }

  const DeviceComparison& device_;
  const std::vector<ChangeRow>* idle_ = nullptr;
  const Places base_places_, next_places_;
  int decimals_ = 2;
  double unit_ = 1e4;
  std::vector<int64_t> base_, next_;  // by row, in `unit_`
  size_t at_ = 0;
  std::vector<DiffRow> rows_;
};

std::string run_line(const char* side, const collect::ComparedRun& run) {
  std::string text = std::string(side) + "  " + printable(run.name) + ": ";
  if (run.steps > 0)
    text += "steps " + std::to_string(run.left_out + 1) + " to " + std::to_string(run.steps);
  else
    text += "no steps";
  for (const std::string& part : {base_name(run.script), run.gpu})
    if (!part.empty()) text += ", " + printable(part);
  if (!run.host.empty()) text += ", on " + printable(run.host);
  if (run.basis == collect::Basis::Kineto) text += ", from torch.profiler";
  if (run.basis == collect::Basis::Nsys) text += ", from Nsight Systems";
  return text;
}

}  // namespace

std::vector<DiffRow> diff_rows(const collect::DeviceComparison& device, DiffBy by) {
  return Rows(device, by).run();
}

const char* unit_heading(const collect::DeviceComparison& device) {
  return device.unit == collect::Unit::Step ? "ms per step" : "ms per second";
}

std::vector<std::string> run_lines(const collect::Comparison& comparison) {
  std::vector<std::string> lines;
  for (const collect::ComparedRun& run : comparison.base) lines.push_back(run_line("base", run));
  for (const collect::ComparedRun& run : comparison.next) lines.push_back(run_line("new ", run));
  return lines;
}

std::vector<std::string> environment_lines(const collect::Comparison& comparison, bool all) {
  std::vector<std::string> lines;
  const auto value = [](const std::string& text, const char* none) {
    return text.empty() ? std::string(none) : printable(text);
  };
  size_t left = 0;
  for (const collect::EnvironmentDifference& d : comparison.environment) {
    if (!all && !d.may_explain) {
      ++left;
      continue;
    }
    const char* none = d.may_explain ? "(not set)" : "(not recorded)";
    lines.push_back("Differs: " + printable(d.title) + ": " + value(d.base, none) + " -> " +
                    value(d.next, none));
  }
  if (left > 0)
    lines.push_back((lines.empty() ? "The environment differs in nothing that matters ("
                                   : "Differs too, and explains nothing (") +
                    std::to_string(left) + (left == 1 ? " entry" : " entries") + ", see -v).");
  return lines;
}

std::string simulated_warning(const collect::Comparison& comparison) {
  for (const auto* side : {&comparison.base, &comparison.next})
    for (const collect::ComparedRun& run : *side)
      if (run.simulated || run.basis == collect::Basis::Simulated)
        return "SIMULATED DEVICE: host times are real, times on the device are modelled.";
  return {};
}

}  // namespace gpustall::cli
