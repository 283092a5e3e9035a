#include "collector/analyze/device_part.h"

#include <algorithm>

namespace gpustall::collect {
namespace {

// Between two kernels of one stream pass microseconds. More than this, and something else had the
// device or the driver.
constexpr int64_t kMostSpacingNs = 50'000;
constexpr int64_t kMostLatencyNs = 200'000;

uint64_t stream_key(uint32_t process, uint32_t stream) {
  return uint64_t{process} << 32 | stream;
}

}  // namespace

DevicePart::DevicePart(const Recording& recording, const Links& links)
    : r_(recording), links_(links), before_(recording.activities.size(), kNoIndex) {
  const Activities& a = r_.activities;
  std::vector<uint32_t> last(r_.queues.size(), kNoIndex);
  for (uint32_t i = 0; i < a.size(); ++i) {
    uint32_t& latest = last[raw(a.queue[i])];
    before_[i] = latest;
    if (latest == kNoIndex || a.end[i] > a.end[latest]) latest = i;
  }
  const Calls& c = r_.calls;
  for (size_t i = 0; i < c.size(); ++i)
    if (trace::class_of(c.call[i]) == trace::CallClass::StreamWait)
      event_waits_[stream_key(raw(r_.threads[raw(c.thread[i])].process), c.stream[i])].push_back(
          c.start[i]);
  for (auto& [stream, times] : event_waits_) std::sort(times.begin(), times.end());
}

// Between the call before it on its stream and its own, the stream was told to wait for an event.
bool DevicePart::waits_for_event(uint32_t closing) const {
  const Queue& queue = r_.queues[raw(r_.activities.queue[closing])];
  const auto waits = event_waits_.find(stream_key(raw(queue.process), queue.stream));
  if (waits == event_waits_.end() || links_.call_of[closing] == kNoIndex) return false;
  const uint32_t before = before_[closing];
  const TraceTime from = before == kNoIndex || links_.call_of[before] == kNoIndex
                             ? INT64_MIN
                             : r_.calls.start[links_.call_of[before]];
  const auto at = std::lower_bound(waits->second.begin(), waits->second.end(), from);
  return at != waits->second.end() && *at <= r_.calls.start[links_.call_of[closing]];
}

Cause DevicePart::cause(uint32_t closing, TraceTime gap_start, TraceTime gap_end,
                        TraceTime asked) const {
  const int64_t late = gap_end - std::max(asked, gap_start);
  const bool early = asked <= gap_start;
  const uint32_t before = before_[closing];
  const bool own_stream_was_busy = before != kNoIndex && r_.activities.end[before] >= gap_start;
  if (early && !own_stream_was_busy && waits_for_event(closing)) return Cause::DeviceDependency;
  if (early) return late <= kMostSpacingNs ? Cause::DeviceSpacing : Cause::DeviceQueue;
  if (waits_for_event(closing) && late > kMostSpacingNs) return Cause::DeviceDependency;
  return late <= kMostLatencyNs ? Cause::DeviceLatency : Cause::DeviceQueue;
}

}  // namespace gpustall::collect
