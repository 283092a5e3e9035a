// Recording and analysis -> the small model that every renderer reads.
#include <algorithm>

#include "collector/gain/fill_gains.h"
#include "collector/model/aggregate.h"
#include "collector/model/card_summary.h"
#include "collector/model/ledger.h"
#include "collector/model/loaders.h"
#include "collector/model/narrowed.h"
#include "collector/model/overview.h"
#include "collector/model/verdict.h"
#include "collector/model/work.h"
#include "collector/quantile.h"

namespace gpustall::collect {
namespace {

const char* role_name(trace::Role role, bool has_device_work) {
  switch (role) {
    case trace::Role::Trainer:
      return "trainer";
    case trace::Role::LoaderWorker:
      return "loader_worker";
    case trace::Role::Other:
      return "other";
    case trace::Role::Unknown:
      break;
  }
  return has_device_work ? "trainer" : "unknown";
}

StepStats stats_of(const Steps& steps, const std::vector<int64_t>& step_ns) {
  StepStats stats;
  stats.count = steps.count();
  stats.warmup = steps.warmup;
  stats.basis = steps.basis;
  const std::vector<int64_t> steady(step_ns.begin() + steps.warmup, step_ns.end());
  int64_t sum = 0;
  for (int64_t ns : steady) sum += ns;
  if (!steady.empty()) stats.mean_ns = sum / static_cast<int64_t>(steady.size());
  stats.p50_ns = quantile(steady, 0.5);
  stats.p95_ns = quantile(steady, 0.95);
  return stats;
}

std::string text_or_empty(const std::map<std::string, std::string>& info, const char* key) {
  const auto at = info.find(key);
  return at == info.end() ? std::string() : at->second;
}

ModelProcess process_of(const Recording& r, const Analysis& analysis, uint32_t index,
                        bool has_device_work) {
  const Process& p = r.processes[index];
  ModelProcess out;
  out.pid = p.pid;
  out.rank = p.rank;
  out.host = p.host;
  out.role = role_name(p.role, has_device_work);
  out.script = text_or_empty(p.info, "script");
  out.clean_end = p.clean_end;
  TraceTime start = p.first_ns, end = INT64_MAX;
  for (const Steps& steps : analysis.steps) {
    if (raw(steps.process) != index) continue;
    if (steps.warmup < steps.count()) start = steps.boundary[steps.warmup];
    end = steps.boundary.back();
    // As the device sees them: a host that runs ahead passes its boundaries earlier, and faster.
    for (size_t i = 0; i < steps.count(); ++i)
      out.step_ns.push_back(steps.device_boundary[i + 1] - steps.device_boundary[i]);
    out.steps = stats_of(steps, out.step_ns);
  }
  out.pace = pace_of(r, ProcessIndex(index), start, end);
  out.narrowed = narrowings(r, ProcessIndex(index));
  return out;
}

// The steps that cut a device's time: those of the process that did most of its work.
const Steps* steps_of_device(const Recording& r, const Analysis& analysis, DeviceIndex device) {
  std::vector<uint64_t> work(r.processes.size());
  for (size_t i = 0; i < r.activities.size(); ++i)
    if (r.device_of(i) == device) ++work[raw(r.queues[raw(r.activities.queue[i])].process)];
  const Steps* best = nullptr;
  for (const Steps& steps : analysis.steps)
    if (best == nullptr || work[raw(steps.process)] > work[raw(best->process)]) best = &steps;
  return best != nullptr && work[raw(best->process)] > 0 ? best : nullptr;
}

void add_step_series(const DeviceTimeline& line, const Analysis& analysis, const Steps& steps,
                     ModelDevice& out) {
  const auto& edge = steps.device_boundary;
  const size_t n = steps.count();
  std::vector<int64_t> idle(n);
  size_t first = 0;
  for (size_t g = 0; g < analysis.gaps.size(); ++g) {
    if (analysis.gaps.device[g] != line.device) continue;
    const TraceTime start = analysis.gaps.start[g], end = analysis.gaps.end[g];
    while (first < n && edge[first + 1] <= start) ++first;
    for (size_t s = first; s < n && edge[s] < end; ++s)
      idle[s] += std::max<int64_t>(0, std::min(end, edge[s + 1]) - std::max(start, edge[s]));
  }
  for (size_t s = 0; s < n; ++s) {
    out.step_span_ns.push_back(edge[s + 1] - edge[s]);
    out.step_busy_ns.push_back(edge[s + 1] - edge[s] - idle[s]);
  }
}

void cut_windows(const Recording& r, const Analysis& analysis, size_t timeline, ModelDevice& out) {
  const DeviceTimeline& line = analysis.timelines[timeline];
  const Steps* steps = steps_of_device(r, analysis, line.device);
  WindowRange whole{line.first, line.last, {}};
  if (steps == nullptr) {
    out.whole = WindowRows(r, analysis, timeline, whole).finish();
    out.work = work_of(r, line.device, line.first, line.last);
    return;
  }
  const auto& edge = steps->device_boundary;
  whole.boundaries = edge;
  add_step_series(line, analysis, *steps, out);
  const bool has_steady = steps->warmup < steps->count();
  out.work = has_steady ? work_of(r, line.device, edge[steps->warmup], edge.back())
                        : work_of(r, line.device, line.first, line.last);
  if (!has_steady) {
    out.whole = WindowRows(r, analysis, timeline, whole).finish();
    return;
  }
  const TraceTime cut = std::clamp(edge[steps->warmup], line.first, line.last);
  const auto middle = edge.begin() + steps->warmup;
  const WindowRange first{line.first, cut, {edge.begin(), middle + 1}};
  const WindowRange second{cut, line.last, {middle, edge.end()}};
  WindowRows warmup(r, analysis, timeline, first), steady(r, analysis, timeline, second);
  out.whole = WindowRows(whole, warmup, steady).finish();
  out.warmup = warmup.finish();
  out.steady = steady.finish();
}

ModelDevice device_of(const Recording& r, const Analysis& analysis, size_t timeline) {
  const DeviceTimeline& line = analysis.timelines[timeline];
  const Device& d = r.devices[raw(line.device)];
  ModelDevice out;
  out.ordinal = d.ordinal;
  out.uuid = d.uuid;
  out.host = d.host;
  out.name = d.name;
  out.simulated = d.simulated;
  for (const Queue& queue : r.queues) {
    const uint32_t pid = r.processes[raw(queue.process)].pid;
    if (queue.device == line.device &&
        std::find(out.pids.begin(), out.pids.end(), pid) == out.pids.end())
      out.pids.push_back(pid);
  }
  cut_windows(r, analysis, timeline, out);
  out.card = card_summary_of(r, line.device);
  out.overview = overview_of(r, analysis, timeline, steps_of_device(r, analysis, line.device));
  return out;
}

}  // namespace

Model build_model(const Recording& recording, const Analysis& analysis) {
  Model model;
  model.basis = recording.basis;
  model.name = recording.name;
  std::vector<bool> works(recording.processes.size());
  for (const Queue& queue : recording.queues) works[raw(queue.process)] = true;
  for (uint32_t p = 0; p < recording.processes.size(); ++p)
    model.processes.push_back(process_of(recording, analysis, p, works[p]));
  for (size_t t = 0; t < analysis.timelines.size(); ++t)
    model.devices.push_back(device_of(recording, analysis, t));
  model.ledger = ledger_of(recording, analysis);
  model.environment = environment_of(recording);
  add_card_facts(recording, model.environment);
  model.loaders = loaders_of(recording, analysis, model);
  fill_gains(recording, analysis, model);
  set_verdict(model, recording);
  return model;
}

}  // namespace gpustall::collect
