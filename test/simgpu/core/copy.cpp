// Who waits for what, as on real hardware:
//   pageable, to device, large:  the host waits for the stream and stages, back when the last piece
//   is staged pageable, to device, small:  staged at once, nobody waits pageable, from device: the
//   host waits until the copy is complete pinned:                      asynchronous synchronous
//   calls:           wait until complete, except small staged ones and device-to-device
#include "copy.h"

#include <string.h>

#include <algorithm>

#include "background.h"
#include "capture.h"
#include "driver_scope.h"
#include "duration_model.h"
#include "host_clock.h"
#include "memory_map.h"
#include "settings.h"
#include "status.h"
#include "timeline.h"

namespace simgpu {
namespace {

constexpr size_t kStagedBytes = 64 << 10;
constexpr uint8_t kHostToDevice = 1, kDeviceToHost = 2, kDeviceToDevice = 8, kHostToHost = 9,
                  kPeer = 10;

struct Route {
  MemoryRange from, to;
  size_t bytes = 0;
  uint8_t kind = kDeviceToDevice;
  bool pageable() const {
    return (kind == kHostToDevice && from.kind == MemoryKind::Pageable) ||
           (kind == kDeviceToHost && to.kind == MemoryKind::Pageable);
  }
  bool staged() const { return kind == kHostToDevice && pageable() && bytes <= kStagedBytes; }
};

Route route_of(const CopyRequest& request) {
  Route route;
  route.from = find_memory(request.from);
  route.to = find_memory(request.to);
  if (request.to_symbol) route.to.kind = MemoryKind::Device;
  route.bytes = request.row_bytes * request.rows;
  const bool from_device = on_device(route.from.kind), to_device = on_device(route.to.kind);
  if (from_device && to_device)
    route.kind = route.from.device != route.to.device ? kPeer : kDeviceToDevice;
  else
    route.kind = to_device ? kHostToDevice : from_device ? kDeviceToHost : kHostToHost;
  return route;
}

Work work_of(const CopyRequest& request, const Route& route) {
  Work work;
  work.shape.kind = ActivityKind::Memcpy;
  work.shape.bytes = route.bytes;
  work.shape.copy_kind = route.kind;
  work.shape.src_kind = static_cast<uint8_t>(route.from.kind);
  work.shape.dst_kind = static_cast<uint8_t>(route.to.kind);
  work.shape.flags = request.async ? 1 : 0;  // CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC
  work.duration_ns =
      copy_duration(route.bytes, route.from.kind, route.to.kind, route.kind == kPeer);
  if (route.kind == kHostToDevice) work.engine = Engine::HostToDevice;
  if (route.kind == kDeviceToHost) work.engine = Engine::DeviceToHost;
  work.background = request.async && !route.pageable();
  work.host_reads = !on_device(route.to.kind);
  work.effect = copy_effect(request.to, request.from, request.row_bytes);
  work.effect.rows = request.rows;
  work.effect.to_pitch = request.to_pitch;
  work.effect.from_pitch = request.from_pitch;
  return work;
}

void wait_for_stream(Stream& stream) {
  int64_t tail;
  {
    LockGuard guard(timeline_lock());
    tail = earliest_start(stream, Engine::None, 0);
  }
  wait_until(tail);
}

int run_on_host(Stream& stream, const Work& work) {
  wait_for_stream(stream);
  apply_effect(work.effect, {false, kNeverDue});
  return kSuccess;
}

// A large copy that the host waits for: the bytes are moved first, and where this machine is slower
// than the model, the copy takes as long as it took. So host and timeline never disagree.
void move_bytes_first(Work& work) {
  work.as_of_ns = now_ns();
  apply_effect(work.effect, {false, kNeverDue});
  work.effect = {};
  work.duration_ns = std::max(work.duration_ns, now_ns() - work.as_of_ns);
}

int run(const CopyRequest& request, DriverScope& scope) {
  const int64_t from = now_ns();
  Stream& stream = *request.stream;
  const Route route = route_of(request);
  Work work = work_of(request, route);
  if (capturing(stream)) return scope.done(submit(stream, work, scope.correlation()).error);
  if (route.kind == kHostToHost) return scope.done(run_on_host(stream, work));
  const bool to_host = route.kind == kDeviceToHost;
  const bool synchronous = !request.async && route.kind != kDeviceToDevice;
  const bool waits = (route.pageable() || synchronous) && !route.staged();
  if (waits && route.pageable() && !to_host) wait_for_stream(stream);
  if (waits && route.bytes > kStagedBytes) move_bytes_first(work);
  const Placed placed = submit(stream, work, scope.correlation());
  if (to_host) {
    LockGuard guard(timeline_lock());
    stream.small_reads.answer(request.to, route.bytes);
  }
  spin_until(from + static_cast<int64_t>(settings().call_ns));
  if (waits) wait_until(placed.end_ns + (to_host ? static_cast<int64_t>(settings().wake_ns) : 0));
  return scope.done(placed.error);
}

int run_to_device(const CopyRequest& r) {
  cuMemcpyHtoDAsync_v2_params params{as_device_pointer(r.to), r.from, r.row_bytes * r.rows,
                                     as_handle<CUstream>(r.stream_handle)};
  // The synchronous call's parameters are the first three of these.
  DriverScope scope(
      r.async ? GPUSTALL_DRIVER(cuMemcpyHtoDAsync_v2) : GPUSTALL_DRIVER(cuMemcpyHtoD_v2), &params);
  return run(r, scope);
}

int run_to_host(const CopyRequest& r) {
  cuMemcpyDtoHAsync_v2_params params{r.to, as_device_pointer(r.from), r.row_bytes * r.rows,
                                     as_handle<CUstream>(r.stream_handle)};
  DriverScope scope(
      r.async ? GPUSTALL_DRIVER(cuMemcpyDtoHAsync_v2) : GPUSTALL_DRIVER(cuMemcpyDtoH_v2), &params);
  return run(r, scope);
}

int run_on_device(const CopyRequest& r) {
  cuMemcpyDtoDAsync_v2_params params{as_device_pointer(r.to), as_device_pointer(r.from),
                                     r.row_bytes * r.rows, as_handle<CUstream>(r.stream_handle)};
  DriverScope scope(
      r.async ? GPUSTALL_DRIVER(cuMemcpyDtoDAsync_v2) : GPUSTALL_DRIVER(cuMemcpyDtoD_v2), &params);
  return run(r, scope);
}

}  // namespace

int copy(const CopyRequest& request) {
  if (request.row_bytes * request.rows == 0) return kSuccess;
  if (!request.to || !request.from) return kInvalidValue;
  switch (route_of(request).kind) {
    case kHostToDevice:
      return run_to_device(request);
    case kDeviceToHost:
      return run_to_host(request);
    default:
      return run_on_device(request);
  }
}

int set_memory(const SetRequest& request) {
  const size_t bytes = request.row_bytes * request.rows;
  if (bytes == 0) return kSuccess;
  if (!on_device(find_memory(request.to).kind) &&
      find_memory(request.to).kind != MemoryKind::Pinned)
    return kInvalidValue;
  cuMemsetD8Async_params params{as_device_pointer(request.to), request.value, bytes,
                                as_handle<CUstream>(request.stream_handle)};
  DriverScope scope(
      request.async ? GPUSTALL_DRIVER(cuMemsetD8Async) : GPUSTALL_DRIVER(cuMemsetD8_v2), &params);
  const int64_t from = now_ns();
  Work work;
  work.shape.kind = ActivityKind::Memset;
  work.shape.bytes = bytes;
  work.shape.dst_kind = static_cast<uint8_t>(find_memory(request.to).kind);
  work.duration_ns = memset_duration(bytes);
  work.effect = fill_effect(request.to, &request.value, 1, request.row_bytes);
  work.effect.rows = request.rows;
  work.effect.to_pitch = request.pitch;
  const Placed placed = submit(*request.stream, work, scope.correlation());
  if (!placed.captured) spin_until(from + static_cast<int64_t>(settings().call_ns));
  return scope.done(placed.error);
}

}  // namespace simgpu
