#include "collector/model/worker_times.h"

#include <algorithm>
#include <map>

#include "collector/analyze/clock_map.h"

namespace gpustall::collect {
namespace {

constexpr size_t kMostStates = 8;  // of one worker; the rest is one more

struct Interval {
  TraceTime start, end;
};

// Idle time that the loader is to blame for, projected onto the host; neighbours joined.
std::vector<Interval> data_waits(const Recording& r, const Analysis& a, ProcessIndex process) {
  const ClockMap clock(r.processes[raw(process)].device_clock);
  std::vector<Interval> waits;
  for (size_t s = 0; s < a.slices.size(); ++s) {
    const uint32_t closing = a.gaps.closing[a.slices.gap[s]];
    if (family_of(a.slices.cause[s]) != CauseFamily::Data ||
        r.queues[raw(r.activities.queue[closing])].process != process)
      continue;
    waits.push_back({clock.to_host(a.slices.start[s]) - a.launch_latency_ns,
                     clock.to_host(a.slices.end[s]) - a.launch_latency_ns});
  }
  std::sort(waits.begin(), waits.end(),
            [](const Interval& x, const Interval& y) { return x.start < y.start; });
  std::vector<Interval> joined;
  for (const Interval& wait : waits) {
    if (!joined.empty() && wait.start <= joined.back().end)
      joined.back().end = std::max(joined.back().end, wait.end);
    else
      joined.push_back(wait);
  }
  return joined;
}

std::vector<WorkerState> largest(const std::map<std::pair<Cause, SiteId>, int64_t>& sums,
                                 const Recording& r, const StackFacts& facts) {
  std::vector<std::pair<std::pair<Cause, SiteId>, int64_t>> order(sums.begin(), sums.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& x, const auto& y) { return x.second > y.second; });
  std::vector<WorkerState> states;
  int64_t rest = 0;
  for (const auto& [key, ns] : order) {
    if (states.size() == kMostStates) {
      rest += ns;
      continue;
    }
    WorkerState state{key.first, {}, ns};
    if (raw(key.second) < facts.sites().size()) {
      const Site& at = facts.sites()[raw(key.second)];
      state.frame = std::string(r.text(at.file)) + ":" + std::to_string(at.line) + " ";
      state.frame += r.text(at.function);
    }
    states.push_back(std::move(state));
  }
  if (rest > 0) states.push_back({std::nullopt, {}, rest});
  return states;
}

}  // namespace

std::vector<WorkerTime> worker_times(const Recording& r, const Analysis& a, const StackFacts& facts,
                                     const LoaderWorkers& workers, ProcessIndex process) {
  const std::vector<Interval> waits = data_waits(r, a, process);
  std::vector<WorkerTime> out;
  if (waits.empty()) return out;
  HostPieces pieces;
  for (const LoaderWorkers::Worker& worker : workers.workers(process)) {
    WorkerTime time;
    time.pid = r.processes[raw(worker.process)].pid;
    if (worker.main != kNone<ThreadIndex>) {
      std::map<std::pair<Cause, SiteId>, int64_t> sums;
      for (const Interval& wait : waits) {
        pieces.clear();
        workers.states(worker, wait.start, wait.end, kNone<StackId>, pieces);
        for (const HostPiece& piece : pieces)
          sums[{piece.cause, facts.site(piece.stack)}] += piece.end - piece.start;
      }
      time.doing = largest(sums, r, facts);
    }
    out.push_back(std::move(time));
  }
  return out;
}

}  // namespace gpustall::collect
