// The place on the host is found as the attribution finds it (CAUSES, "project the gap onto the
// host"): the thread that launches next, earlier by the launch latency. What a loader's worker owes
// is looked for where the slice's stack was seen.
#include "viewer-cli/export/arrows.h"

#include <algorithm>
#include <numeric>

namespace gpustall::cli {

namespace {

using namespace collect;  // NOLINT: all of this is about the collector's tables

constexpr size_t kMostArrows = 50'000;

bool is_host_cause(Cause cause) {
  const CauseFamily family = family_of(cause);
  return family != CauseFamily::Device && family != CauseFamily::Unknown &&
         family != CauseFamily::Tool;
}

// The next kernel or graph from the activity on, on its device.
uint32_t next_work(const Recording& r, uint32_t activity) {
  const DeviceIndex device = r.device_of(activity);
  for (uint32_t i = activity; i < r.activities.size() && r.device_of(i) == device; ++i)
    if (r.activities.kind[i] == ActivityKind::Kernel || r.activities.kind[i] == ActivityKind::Graph)
      return i;
  return activity;
}

// Of the samples of one thread that hold the stack, the nearest to a time.
struct Sighting {
  ThreadIndex thread = kNone<ThreadIndex>;
  int64_t time = 0;
};

}  // namespace

Arrows::Arrows(TimelineInput& in, const Selection& selection)
    : by_thread_(in.recording.threads.size()) {
  const Analysis& a = in.analysis;
  InSelection selected(selection);
  std::vector<uint32_t> slices;
  DeviceIndex device = collect::kNone<DeviceIndex>;
  for (uint32_t s = 0; s < a.slices.size(); ++s) {
    if (a.gaps.device[a.slices.gap[s]] != device) {
      device = a.gaps.device[a.slices.gap[s]];
      selected = InSelection(selection);
    }
    if (selection.devices[raw(device)] && is_host_cause(a.slices.cause[s]) &&
        selected.overlaps(in.clock.device(device, a.slices.start[s]),
                          in.clock.device(device, a.slices.end[s])))
      slices.push_back(s);
  }
  if (slices.size() > kMostArrows) {
    const auto length = [&](uint32_t s) { return a.slices.end[s] - a.slices.start[s]; };
    std::nth_element(slices.begin(), slices.begin() + kMostArrows, slices.end(),
                     [&](uint32_t x, uint32_t y) {
                       return length(x) != length(y) ? length(x) > length(y) : x < y;
                     });
    slices.resize(kMostArrows);
    std::sort(slices.begin(), slices.end());
  }
  calls_.assign(slices.empty() ? 0 : in.recording.calls.size(), Call::NotWanted);
  for (const uint32_t slice : slices) add(in, slice);
  find_evidence(in);
  for (uint32_t i = 0; i < arrows_.size(); ++i)
    by_thread_[raw(arrows_[i].thread)].push_back({arrows_[i].time, i});
  for (auto& ends : by_thread_)
    std::sort(ends.begin(), ends.end(), [](const End& x, const End& y) {
      return std::tie(x.time, x.arrow) < std::tie(y.time, y.arrow);
    });
}

void Arrows::add(TimelineInput& in, uint32_t slice) {
  const Recording& r = in.recording;
  const Analysis& a = in.analysis;
  const uint32_t gap = a.slices.gap[slice], closing = a.gaps.closing[gap];
  const uint32_t call = in.links.call_of[closing];
  if (call == kNoIndex) return;
  const DeviceIndex device = a.gaps.device[gap];
  const ProcessIndex process = r.threads[raw(r.calls.thread[call])].process;
  const int64_t middle = in.clock.device(
      device, a.slices.start[slice] + (a.slices.end[slice] - a.slices.start[slice]) / 2);
  const int64_t took =
      in.clock.device(device, a.gaps.end[gap]) - in.clock.host(process, r.calls.end[call]);
  // A start much later than the call returned is the device's own delay, not the latency.
  const int64_t normal = a.launch_latency_ns;
  const int64_t latency = took > 4 * normal ? normal : std::max<int64_t>(took, 0);
  Arrow arrow;
  arrow.slice = slice;
  arrow.time = middle - latency;
  const uint32_t next_call = in.links.call_of[next_work(r, closing)];
  const bool follow_next =
      next_call != kNoIndex && in.clock.host(process, r.calls.end[next_call]) > arrow.time;
  arrow.thread = r.calls.thread[follow_next ? next_call : call];
  of_slice_[slice] = static_cast<uint32_t>(arrows_.size());
  arrows_.push_back(arrow);
  of_closing_[closing] = call;
  calls_[call] = Call::Wanted;
}

// Slices that loader workers are to blame for carry the worker's stack.
void Arrows::find_evidence(const TimelineInput& in) {
  const Recording& r = in.recording;
  std::unordered_map<uint32_t, std::vector<Sighting>> seen;  // by stack
  for (const Arrow& arrow : arrows_)
    if (family_of(in.analysis.slices.cause[arrow.slice]) == CauseFamily::Data &&
        raw(in.analysis.slices.stack[arrow.slice]) < r.stacks.size())
      seen[raw(in.analysis.slices.stack[arrow.slice])];
  if (seen.empty()) return;
  const auto look = [&](ThreadIndex thread, StackId stack, TraceTime time) {
    const auto wanted = seen.find(raw(stack));
    if (wanted == seen.end()) return;
    const ProcessIndex process = r.threads[raw(thread)].process;
    wanted->second.push_back({thread, in.clock.host(process, time)});
  };
  for (size_t i = 0; i < r.samples.size(); ++i)
    look(r.samples.thread[i], r.samples.stack[i], r.samples.time[i]);
  for (size_t i = 0; i < r.waits.size(); ++i)
    look(r.waits.thread[i], r.waits.stack[i], r.waits.start[i]);
  for (auto& [stack, sightings] : seen)
    std::sort(sightings.begin(), sightings.end(),
              [](const Sighting& a, const Sighting& b) { return a.time < b.time; });
  for (Arrow& arrow : arrows_) {
    const auto at = seen.find(raw(in.analysis.slices.stack[arrow.slice]));
    if (at == seen.end() || at->second.empty()) continue;
    const auto& sightings = at->second;
    auto near = std::lower_bound(sightings.begin(), sightings.end(), arrow.time,
                                 [](const Sighting& s, int64_t time) { return s.time < time; });
    if (near == sightings.end() ||
        (near != sightings.begin() && arrow.time - std::prev(near)->time < near->time - arrow.time))
      --near;
    arrow.thread = near->thread;
  }
}

void Arrows::bind(const End& end, Track track) {
  arrows_[end.arrow].track = track;
  arrows_[end.arrow].bound = true;
}

void Arrows::write_to_slice(TimelineState& state, uint32_t slice, Track track,
                            int64_t start) const {
  const auto at = of_slice_.find(slice);
  if (at == of_slice_.end() || !arrows_[at->second].bound) return;
  const Arrow& arrow = arrows_[at->second];
  // The host's time is at most the middle of the slice: never back in time.
  state.out.flow("culprit", 2 * int64_t{slice} + 1, arrow.track, arrow.time, track,
                 std::max(start, arrow.time));
}

void Arrows::write_to_activity(TimelineState& state, uint32_t activity, Track track,
                               int64_t time) const {
  const auto at = of_closing_.find(activity);
  if (at == of_closing_.end() || calls_[at->second] != Call::Written) return;
  const Calls& calls = state.in.recording.calls;
  const ThreadIndex thread = calls.thread[at->second];
  const ProcessIndex process = state.in.recording.threads[raw(thread)].process;
  const int64_t called = state.in.clock.host(process, calls.start[at->second]);
  if (called > time) return;  // a clock's error; viewers take no arrow back in time
  state.out.flow("launch", 2 * int64_t{activity} + 2,
                 {state.in.ids.of(process), state.in.ids.of(thread)}, called, track, time);
}

}  // namespace gpustall::cli
