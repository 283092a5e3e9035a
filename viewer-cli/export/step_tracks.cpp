// The steps as tracks: on each device where the device has finished what was asked for in a step,
// and on the host where the script begins the next one.
#include <algorithm>

#include "viewer-cli/export/timeline_state.h"

namespace gpustall::cli {

namespace {

using namespace collect;  // NOLINT: all of this is about the collector's tables

class StepTracks {
 public:
  explicit StepTracks(TimelineState& state) : s_(state) {}

  void on_device(const DeviceTimeline& line, const Steps& steps) {
    std::vector<int64_t> edges;
    for (const TraceTime edge : steps.device_boundary)
      edges.push_back(s_.in.clock.device(line.device, edge));
    const std::vector<int64_t> idle = idle_before(line.device, steps.device_boundary);
    track(s_.in.ids.of(line.device), "steps, as the device ends them", 1, edges, steps, idle, {});
  }

  void on_host(const Steps& steps) {
    std::vector<int64_t> edges, device;
    for (const TraceTime edge : steps.boundary)
      edges.push_back(s_.in.clock.host(steps.process, edge));
    for (const Queue& queue : s_.in.recording.queues) {  // its devices share one clock
      if (queue.process != steps.process) continue;
      for (const TraceTime edge : steps.device_boundary)
        device.push_back(s_.in.clock.device(queue.device, edge));
      break;
    }
    track(s_.in.ids.of(steps.process), "steps (found by: " + valid_utf8(steps.basis) + ")", 0,
          edges, steps, {}, device);
  }

 private:
  // Idle time of the device before each edge.
  std::vector<int64_t> idle_before(DeviceIndex device, const std::vector<TraceTime>& edges) const {
    const Gaps& gaps = s_.in.analysis.gaps;
    std::vector<int64_t> before;
    size_t g = 0;
    int64_t whole = 0;
    for (const TraceTime edge : edges) {
      for (; g < gaps.size() && (gaps.device[g] != device || gaps.end[g] <= edge); ++g)
        if (gaps.device[g] == device) whole += gaps.end[g] - gaps.start[g];
      const bool cut = g < gaps.size() && gaps.start[g] < edge;
      before.push_back(whole + (cut ? edge - gaps.start[g] : 0));
    }
    return before;
  }

  void track(int64_t pid, const std::string& name, int64_t sort, const std::vector<int64_t>& edges,
             const Steps& steps, const std::vector<int64_t>& idle,
             const std::vector<int64_t>& device) {
    const Track track{pid, s_.in.ids.next()};
    s_.name_track(track, name, sort);
    InSelection selected(s_.summary);
    const size_t group = s_.summary.step_group;
    for (size_t i = 0; i + 1 < edges.size(); i += group) {
      const size_t next = std::min(i + group, edges.size() - 1);
      if (edges[next] <= edges[i] && device.empty()) continue;
      if (!selected.overlaps(edges[i], edges[next])) continue;
      std::string text = "step " + std::to_string(i + 1);
      if (next > i + 1) text = "steps " + std::to_string(i + 1) + " to " + std::to_string(next);
      s_.out.slice("gpustall_step", json_quoted(text), track, edges[i],
                   std::max(edges[i], edges[next]));
      s_.out.args();
      s_.out.member("step", static_cast<int64_t>(i + 1));
      if (next > i + 1) s_.out.member("last_step", static_cast<int64_t>(next));
      if (i < steps.warmup) s_.out.member("warmup", 1);
      if (!idle.empty()) {
        s_.out.member("idle_ns", idle[next] - idle[i]);
        s_.out.member("busy_ns", edges[next] - edges[i] - (idle[next] - idle[i]));
      }
      if (!device.empty()) {
        s_.out.member("device_start_ns", device[i]);
        s_.out.member("device_end_ns", device[next]);
      }
      s_.out.end();
    }
  }

  TimelineState& s_;
};

}  // namespace

void write_steps(TimelineState& state) {
  StepTracks tracks(state);
  for (const DeviceTimeline& line : state.in.analysis.timelines)
    if (const Steps* steps = state.in.steps_of[raw(line.device)];
        steps != nullptr && state.summary.devices[raw(line.device)])
      tracks.on_device(line, *steps);
  for (const Steps& steps : state.in.analysis.steps)
    if (state.summary.processes[raw(steps.process)]) tracks.on_host(steps);
}

}  // namespace gpustall::cli
