// The passes of the analysis, in order. Each owns one file; nothing here computes anything itself.
#include "collector/analyze/attribute.h"
#include "collector/analyze/hottest_line.h"
#include "collector/analyze/steps.h"
#include "collector/gain/script.h"

namespace gpustall::collect {
namespace {

std::vector<ClockMap> clocks_of(const Recording& recording) {
  std::vector<ClockMap> clocks;
  for (const Process& process : recording.processes) clocks.emplace_back(process.device_clock);
  return clocks;
}

// When warm-up ends: after the warm-up steps; without steps, after the first fifth of the time.
std::vector<TraceTime> steady_from(const Recording& recording, const std::vector<Steps>& steps) {
  std::vector<TraceTime> from;
  for (const Process& p : recording.processes)
    from.push_back(p.first_ns + (p.last_ns - p.first_ns) / 5);
  for (const Steps& s : steps) from[raw(s.process)] = s.boundary[s.warmup];
  return from;
}

int64_t most_common(const std::vector<LaunchLatency>& latency, const Recording& recording) {
  std::vector<uint64_t> calls(latency.size());
  for (size_t i = 0; i < recording.calls.size(); ++i)
    ++calls[raw(recording.threads[raw(recording.calls.thread[i])].process)];
  size_t busiest = 0;
  for (size_t p = 1; p < calls.size(); ++p)
    if (calls[p] > calls[busiest]) busiest = p;
  return latency.empty() ? 0 : latency[busiest].normal_ns;
}

}  // namespace

Analysis analyze(const Recording& recording) {
  if (recording.stated) return *recording.stated;
  Analysis result;
  const Links links = link_activities(recording);
  Timelines timelines = build_timelines(recording);
  const std::vector<ClockMap> clocks = clocks_of(recording);
  const std::vector<LaunchLatency> latency = measure_latency(recording, links, clocks);

  const StackFacts facts(recording);
  const BackwardWaits backward(recording, facts);
  result.steps = find_steps(recording, links, facts);
  const StallInput base{recording, links, facts, backward, clocks};
  const Stalls stalls = find_stalls(base);
  const CallOwners owners(base, stalls, steady_from(recording, result.steps));

  const ThreadSegments segments = build_segments(recording);
  const LoaderWorkers workers(recording, facts, segments);
  CpuTime cpu(recording, facts, backward, segments, workers);
  HostReader reader(base, stalls, owners, segments, cpu, workers);
  const DevicePart device_part(recording, links);

  // Only first_slice is filled: the ledgers search in the same gaps meanwhile.
  attribute_gaps({base, stalls, timelines, latency, reader, workers, device_part}, timelines.gaps,
                 result.slices);
  result.busy_slices = attribute_busy(base, timelines);
  result.gaps = std::move(timelines.gaps);
  result.timelines = std::move(timelines.devices);
  result.sites = facts.sites();
  blame_hottest_lines(recording, facts, result.slices);
  if (!result.steps.empty())
    result.script = std::make_shared<const ReplayScript>(
        build_script({base, stalls, owners, segments, latency, result.steps, workers, reader}));
  result.launch_latency_ns = most_common(latency, recording);
  result.unlinked_activities = links.unlinked;
  return result;
}

}  // namespace gpustall::collect
