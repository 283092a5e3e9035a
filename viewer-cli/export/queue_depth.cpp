// A counter per device: work that was asked for and has not started. Where it falls to nothing, the
// host was late.
#include <algorithm>

#include "viewer-cli/export/counter_track.h"

namespace gpustall::cli {

namespace {

using namespace collect;  // NOLINT: all of this is about the collector's tables

class QueueDepth {
 public:
  QueueDepth(TimelineState& state, DeviceIndex device, size_t begin, size_t end)
      : s_(state), r_(state.in.recording), device_(device), begin_(begin), end_(end) {}

  void write() {
    const std::vector<int64_t> asked = times_asked();
    if (asked.empty()) return;
    CounterTrack track(s_, "queue depth", "asked for, not started", s_.in.ids.of(device_),
                       2 * asked.size());
    size_t next = 0;
    int64_t depth = 0;
    for (size_t i = begin_; i < end_; ++i) {
      if (s_.in.links.call_of[i] == kNoIndex) continue;
      const int64_t started = s_.in.clock.device(device_, r_.activities.start[i]);
      for (; next < asked.size() && asked[next] <= started; ++next)
        track.change(asked[next], ++depth);
      if (depth > 0) track.change(started, --depth);  // else a clock's error: it cannot precede
    }
    track.finish();
  }

 private:
  std::vector<int64_t> times_asked() const {
    std::vector<int64_t> asked;
    for (size_t i = begin_; i < end_; ++i) {
      const uint32_t call = s_.in.links.call_of[i];
      if (call == kNoIndex) continue;
      const ProcessIndex process = r_.threads[raw(r_.calls.thread[call])].process;
      asked.push_back(s_.in.clock.host(process, r_.calls.start[call]));
    }
    if (!std::is_sorted(asked.begin(), asked.end())) std::sort(asked.begin(), asked.end());
    return asked;
  }

  TimelineState& s_;
  const Recording& r_;
  const DeviceIndex device_;
  const size_t begin_, end_;  // activities
};

}  // namespace

void write_queue_depth(TimelineState& state) {
  const Recording& r = state.in.recording;
  for (size_t begin = 0, end; begin < r.activities.size(); begin = end) {
    const DeviceIndex device = r.device_of(begin);
    for (end = begin + 1; end < r.activities.size() && r.device_of(end) == device;) ++end;
    if (state.selection.devices[raw(device)]) QueueDepth(state, device, begin, end).write();
  }
}

}  // namespace gpustall::cli
