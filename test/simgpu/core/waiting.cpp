// See waiting.h. Each host wait is announced as a Sync activity, whether or not it had to wait.
#include "waiting.h"

#include <algorithm>
#include <cmath>

#include "background.h"
#include "capture.h"
#include "driver_scope.h"
#include "host_clock.h"
#include "settings.h"
#include "status.h"
#include "timeline.h"

namespace simgpu {
namespace {

// CUpti_ActivitySynchronizationType
constexpr uint32_t kEventSync = 1, kStreamSync = 3, kContextSync = 4;
constexpr uint32_t kDisableTiming = 2;     // cudaEventDisableTiming
constexpr int64_t kEventLatencyNs = 1000;  // an event on an idle stream completes after so long

struct SyncIds {
  uint32_t type, stream_id, event_id;
};

void announce_sync(const Device& device, SyncIds ids, int64_t start_ns, uint32_t correlation) {
  Activity activity{};
  activity.kind = ActivityKind::Sync;
  activity.device = device.ordinal;
  activity.context = device.context_uid;
  activity.stream = ids.stream_id;
  activity.correlation = correlation;
  activity.start_ns = start_ns;
  activity.end_ns = now_ns();
  activity.sync_type = ids.type;
  activity.event_id = ids.event_id;
  announce(activity);
}

void wait_for(int64_t moment) {
  if (moment > now_ns()) wait_until(moment + static_cast<int64_t>(settings().wake_ns));
  wait_for_background(moment);
}

bool reached(int64_t moment) {
  return moment <= now_ns() && background_done(moment);
}

int64_t stream_tail(Stream& stream) {
  LockGuard guard(timeline_lock());
  return earliest_start(stream, Engine::None, 0);
}

}  // namespace

int64_t device_tail(Device& device) {
  LockGuard guard(timeline_lock());
  int64_t tail = device.legacy.tail_ns;
  for (const Stream* stream : device.streams) tail = std::max(tail, stream->tail_ns);
  return tail;
}

int synchronize_stream(Stream& stream, const void* handle) {
  cuStreamSynchronize_params params{as_handle<CUstream>(handle)};
  DriverScope scope(GPUSTALL_DRIVER(cuStreamSynchronize), &params);
  if (capturing(stream)) {
    invalidate_capture(stream);
    return scope.done(kCaptureUnsupported);
  }
  const int64_t from = now_ns();
  wait_for(stream_tail(stream));
  announce_sync(*stream.device, {kStreamSync, stream.id, 0}, from, scope.correlation());
  return scope.done(kSuccess);
}

int synchronize_device(Device& device) {
  DriverScope scope(GPUSTALL_DRIVER(cuCtxSynchronize));
  const int64_t from = now_ns();
  wait_for(device_tail(device));
  announce_sync(device, {kContextSync, 0xffffffffU, 0}, from, scope.correlation());
  return scope.done(kSuccess);
}

int synchronize_event(Event& event) {
  cuEventSynchronize_params params{as_handle<CUevent>(&event)};
  DriverScope scope(GPUSTALL_DRIVER(cuEventSynchronize), &params);
  if (event.capture) return scope.done(kCapturedEvent);
  const int64_t from = now_ns();
  if (event.recorded) wait_for(event.time_ns);
  announce_sync(device_at(current_device()), {kEventSync, event.stream_id, event.id}, from,
                scope.correlation());
  return scope.done(kSuccess);
}

int query_stream(Stream& stream) {
  if (capturing(stream)) {
    invalidate_capture(stream);
    return kCaptureUnsupported;
  }
  return reached(stream_tail(stream)) ? kSuccess : kNotReady;
}

int query_event(const Event& event) {
  if (event.capture) return kCapturedEvent;
  return !event.recorded || reached(event.time_ns) ? kSuccess : kNotReady;
}

int record_event(Event& event, Stream& stream, const void* stream_handle) {
  cuEventRecord_params params{as_handle<CUevent>(&event), as_handle<CUstream>(stream_handle)};
  DriverScope scope(GPUSTALL_DRIVER(cuEventRecord), &params);
  if (capturing(stream)) {
    record_event_in_capture(stream, event);
    return scope.done(kSuccess);
  }
  LockGuard guard(timeline_lock());
  event.capture = nullptr;
  event.nodes.clear();
  event.recorded = true;
  event.stream_id = stream.id;
  // Nothing is added to the stream's tail: an event is a moment, not work.
  const int64_t idle_moment = now_ns() + kEventLatencyNs;
  event.time_ns = std::max(earliest_start(stream, Engine::None, 0), idle_moment);
  return scope.done(kSuccess);
}

int stream_wait_event(Stream& stream, const void* stream_handle, const Event& event,
                      unsigned flags) {
  cuStreamWaitEvent_params params{as_handle<CUstream>(stream_handle), as_handle<CUevent>(&event),
                                  flags};
  DriverScope scope(GPUSTALL_DRIVER(cuStreamWaitEvent), &params);
  if (!event.recorded) return scope.done(kSuccess);
  if (capturing(stream) || event.capture) return scope.done(wait_event_in_capture(stream, event));
  LockGuard guard(timeline_lock());
  stream.floor_ns = std::max(stream.floor_ns, event.time_ns);
  return scope.done(kSuccess);
}

int elapsed_ms(const Event& from, const Event& to, float* ms) {
  if (!ms) return kInvalidValue;
  if (!from.recorded || !to.recorded || ((from.flags | to.flags) & kDisableTiming))
    return kInvalidHandle;
  if (std::max(from.time_ns, to.time_ns) > now_ns()) return kNotReady;
  *ms = static_cast<float>(static_cast<double>(to.time_ns - from.time_ns) * 1e-6);
  return kSuccess;
}

}  // namespace simgpu
