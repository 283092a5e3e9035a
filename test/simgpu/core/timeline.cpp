// See timeline.h. All moments are known at submission, because all durations are modelled.
#include "timeline.h"

#include <algorithm>

#include "background.h"
#include "capture.h"
#include "host_clock.h"
#include "settings.h"

namespace simgpu {
namespace {

constexpr uint32_t kCommandBufferFull = 6U << 16;  // CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL

int64_t& oldest_end(Stream& stream) {
  return stream.ends[stream.submitted % stream.ends.size()];
}

// The default stream waits for every blocking stream, and they for it.
int64_t legacy_floor(Stream& stream) {
  Device& device = *stream.device;
  if (!stream.legacy) return (stream.flags & 1) ? 0 : device.legacy.tail_ns;
  int64_t floor = 0;
  for (const Stream* other : device.streams)
    if (!(other->flags & 1)) floor = std::max(floor, other->tail_ns);
  return floor;
}

int64_t* engine_tail(Device& device, Engine engine) {
  if (engine == Engine::HostToDevice) return &device.engine_tail_ns[0];
  if (engine == Engine::DeviceToHost) return &device.engine_tail_ns[1];
  return nullptr;
}

}  // namespace

int64_t earliest_start(Stream& stream, Engine engine, int64_t now) {
  int64_t start = std::max({now + static_cast<int64_t>(settings().latency_ns), stream.tail_ns,
                            stream.floor_ns, legacy_floor(stream)});
  if (const int64_t* tail = engine_tail(*stream.device, engine)) start = std::max(start, *tail);
  return start;
}

void occupy(Stream& stream, Engine engine, int64_t end_ns) {
  stream.tail_ns = std::max(stream.tail_ns, end_ns);
  oldest_end(stream) = end_ns;
  ++stream.submitted;
  if (int64_t* tail = engine_tail(*stream.device, engine)) *tail = end_ns;
}

void announce_overhead(const Stream& stream, uint32_t kind, int64_t start_ns, int64_t end_ns,
                       uint32_t correlation) {
  Activity activity{};
  activity.kind = ActivityKind::Overhead;
  activity.device = stream.device->ordinal;
  activity.context = stream.device->context_uid;
  activity.stream = stream.id;
  activity.correlation = correlation;
  activity.start_ns = start_ns;
  activity.end_ns = end_ns;
  activity.overhead_kind = kind;
  announce(activity);
}

void wait_for_room(Stream& stream, uint32_t correlation) {
  int64_t free_at;
  {
    LockGuard guard(timeline_lock());
    free_at = oldest_end(stream);
  }
  const int64_t from = now_ns();
  if (free_at <= from) return;
  wait_until(free_at);
  announce_overhead(stream, kCommandBufferFull, from, now_ns(), correlation);
}

Placed submit(Stream& stream, Work& work, uint32_t correlation) {
  Activity& activity = work.shape;
  activity.device = stream.device->ordinal;
  activity.context = stream.device->context_uid;
  activity.stream = stream.id;
  activity.correlation = correlation;
  if (capturing(stream)) return {0, 0, true, record_node(stream, work)};
  wait_for_room(stream, correlation);
  {
    LockGuard guard(timeline_lock());
    const int64_t called = work.as_of_ns ? work.as_of_ns : now_ns();
    activity.start_ns = earliest_start(stream, work.engine, called);
    activity.end_ns = activity.start_ns + work.duration_ns;
    occupy(stream, work.engine, activity.end_ns);
  }
  if (work.effect.kind == Effect::Kind::HostCall)
    call_in_background(activity.end_ns, work.effect.call, work.effect.user);
  else
    apply_effect(work.effect, {work.background, work.host_reads ? activity.end_ns : kNeverDue});
  if (work.engine != Engine::None) announce(activity);
  return {activity.start_ns, activity.end_ns, false, 0};
}

}  // namespace simgpu
