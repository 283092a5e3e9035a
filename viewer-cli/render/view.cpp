// Selection and rounding. The sum of the printed rows is the printed total, always.
#include "viewer-cli/render/view.h"

#include <algorithm>

#include "viewer-cli/render/kernel_name.h"
#include "viewer-cli/render/table.h"
#include "viewer-cli/render/units.h"

namespace gpustall::cli {

namespace {

using collect::CauseFamily;
using collect::CauseRow;

const collect::ModelProcess* process_with_steps(const collect::Model& model,
                                                const collect::ModelDevice& device) {
  for (const collect::ModelProcess& process : model.processes) {
    const bool here =
        std::find(device.pids.begin(), device.pids.end(), process.pid) != device.pids.end();
    if (here && process.host == device.host && process.steps) return &process;
  }
  return nullptr;
}

bool is_unknown(const CauseRow& row) {
  return family_of(row.cause) == CauseFamily::Unknown;
}

Row cause_row(const CauseRow& cause, const Places& places) {
  Row row;
  row.kind = is_unknown(cause) ? Row::Kind::Unknown : Row::Kind::Cause;
  row.cause = &cause;
  row.ns = cause.ns;
  row.id = text_of(cause.cause).id;
  if (is_unknown(cause)) row.id = "[" + row.id + "]";
  row.where = places.where(cause.site);
  if (cause.every_steps && *cause.every_steps > 1) {
    row.where += " (every " + std::to_string(*cause.every_steps) + " steps)";
  }
  row.words = title_of(cause);
  return row;
}

// Fills the printed numbers; the last row is the total of the others.
void print_numbers(std::vector<Row>& rows, const View& view, int64_t total_ns) {
  std::vector<double> times, shares;
  for (const Row& row : rows) {
    times.push_back(view.per_unit(row.ns));
    shares.push_back(view.share(row.ns) * 100);
  }
  const int decimals = decimals_for(view.per_unit(total_ns));
  const double unit = decimals == 1 ? 1e5 : decimals == 2 ? 1e4 : 1e3;
  const std::vector<int64_t> rounded_times = round_together(times, unit);
  const std::vector<int64_t> rounded_shares = round_together(shares, 0.1);
  int64_t time_sum = 0, share_sum = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].time = milliseconds(static_cast<double>(rounded_times[i]) * unit, decimals);
    rows[i].share = percent(static_cast<double>(rounded_shares[i]) / 1000);
    time_sum += rounded_times[i];
    share_sum += rounded_shares[i];
  }
  Row total;
  total.kind = Row::Kind::Total;
  total.ns = total_ns;
  total.time = milliseconds(static_cast<double>(time_sum) * unit, decimals);
  total.share = percent(static_cast<double>(share_sum) / 1000);
  rows.push_back(total);
}

std::vector<Row> listed(const std::vector<CauseRow>& causes, const View& view,
                        const ReportOptions& options, const Places& places, int64_t total_ns) {
  std::vector<Row> rows;
  Row others, unknown;
  others.kind = Row::Kind::Others;
  unknown.kind = Row::Kind::Unknown;
  unknown.id = "[unknown]";
  size_t other_count = 0;
  const bool all = options.top == 0;
  for (const CauseRow& cause : causes) {
    const bool large =
        static_cast<double>(cause.ns) >= options.min_share * static_cast<double>(total_ns);
    if (is_unknown(cause) && !all) {
      unknown.ns += cause.ns;
    } else if (all || (large && rows.size() < options.top)) {
      rows.push_back(cause_row(cause, places));
    } else {
      others.ns += cause.ns;
      ++other_count;
    }
  }
  others.id = "[" + std::to_string(other_count) + (other_count == 1 ? " other]" : " others]");
  if (other_count > 0) rows.push_back(others);
  const bool listed_unknown = std::any_of(
      rows.begin(), rows.end(), [](const Row& row) { return row.kind == Row::Kind::Unknown; });
  if (!listed_unknown) rows.push_back(unknown);
  print_numbers(rows, view, total_ns);
  return rows;
}

uint64_t steps_in(WindowChoice choice, const collect::StepStats& steps) {
  if (choice == WindowChoice::Warmup) return steps.warmup;
  if (choice == WindowChoice::Steady) return steps.count - steps.warmup;
  return 0;  // the whole recording has a start and an end that belong to no step
}

}  // namespace

double View::share(int64_t ns) const {
  return window->span_ns > 0 ? static_cast<double>(ns) / static_cast<double>(window->span_ns) : 0;
}

std::string title_of(const CauseRow& row) {
  std::string title(text_of(row.cause).title);
  if (!row.object.empty()) title += ": " + short_kernel_name(printable(row.object));
  return title;
}

collect::Verdict verdict_for(const collect::Model& model, WindowChoice choice,
                             std::optional<uint32_t> ordinal) {
  const auto of = [&](collect::WindowKind kind) {
    return collect::verdict_of(model, kind, ordinal);
  };
  const bool has_steps = std::any_of(model.devices.begin(), model.devices.end(),
                                     [](const auto& device) { return device.steady.has_value(); });
  if (choice == WindowChoice::Warmup && has_steps) return of(collect::WindowKind::Warmup);
  if (choice == WindowChoice::Whole && has_steps) return of(collect::WindowKind::Whole);
  collect::Verdict usual = of(collect::WindowKind::Usual);
  if (ordinal && model.devices.size() > 1) return usual;
  usual.code = model.verdict_code;
  usual.sentence = model.verdict;
  return usual;
}

bool make_view(const collect::Model& model, const collect::ModelDevice& device, WindowChoice choice,
               View& view) {
  view = View{};
  view.model = &model;
  view.device = &device;
  view.process = process_with_steps(model, device);
  if (choice == WindowChoice::Default) {
    choice = device.steady ? WindowChoice::Steady : WindowChoice::Whole;
  }
  view.choice = choice;
  if (choice == WindowChoice::Whole) view.window = &device.whole;
  if (choice == WindowChoice::Steady && device.steady) view.window = &*device.steady;
  if (choice == WindowChoice::Warmup && device.warmup) view.window = &*device.warmup;
  if (view.window == nullptr) return false;
  if (view.process != nullptr) view.steps = steps_in(choice, *view.process->steps);
  // What follows the last step belongs to the window, too: all is told per step as it is on
  // average.
  const int64_t mean = view.process == nullptr ? 0 : view.process->steps->mean_ns;
  if (choice == WindowChoice::Steady && mean > 0 && view.window->span_ns > 0)
    view.divisor = static_cast<double>(view.window->span_ns) / static_cast<double>(mean);
  else
    view.divisor = view.steps > 0 ? static_cast<double>(view.steps)
                                  : std::max(1e-9, static_cast<double>(view.window->span_ns) / 1e9);
  return true;
}

std::vector<Row> idle_rows(const View& view, const ReportOptions& options, const Places& places) {
  std::vector<Row> rows = listed(view.window->causes, view, options, places, view.window->idle_ns);
  rows.back().id = "TOTAL";
  rows.back().where = "= measured idle";
  return rows;
}

std::vector<Row> busy_rows(const View& view, const ReportOptions& options, const Places& places) {
  const int64_t exposed = view.window->exposed_copy_ns + view.window->exposed_collective_ns;
  std::vector<Row> rows = listed(view.window->busy_causes, view, options, places, exposed);
  // Busy time is measured: what no row claims is a difference, not an unknown cause.
  rows.erase(
      std::remove_if(rows.begin(), rows.end(),
                     [](const Row& row) { return row.kind == Row::Kind::Unknown && row.ns == 0; }),
      rows.end());
  rows.back().id = "TOTAL";
  return rows;
}

}  // namespace gpustall::cli
