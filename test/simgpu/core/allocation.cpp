// See allocation.h.
#include "allocation.h"

#include "background.h"
#include "device.h"
#include "driver_scope.h"
#include "host_clock.h"
#include "settings.h"
#include "status.h"
#include "waiting.h"

namespace simgpu {
namespace {

constexpr double kHostCallFloorNs = 40'000;  // of page-locking, however little

void spend_page_locking(int64_t from, size_t bytes) {
  const double cost = kHostCallFloorNs + static_cast<double>(bytes) / settings().host_alloc_gbps;
  wait_until(from + static_cast<int64_t>(cost));
}

}  // namespace

int allocate(void** out, size_t bytes, MemoryKind kind) {
  if (!out) return kInvalidValue;
  Device& device = ready_device();
  cuMemAlloc_v2_params params{reinterpret_cast<CUdeviceptr*>(out), bytes};
  DriverScope scope(GPUSTALL_DRIVER(cuMemAlloc_v2), &params);
  const int64_t from = now_ns();
  *out = nullptr;
  if (bytes == 0) return scope.done(kSuccess);
  *out = allocate_device(device.ordinal, bytes, kind);
  wait_until(from + static_cast<int64_t>(settings().malloc_ns));
  return scope.done(*out ? kSuccess : kOutOfMemory);
}

int release(void* base) {
  if (!base) return kSuccess;
  cuMemFree_v2_params params{as_device_pointer(base)};
  DriverScope scope(GPUSTALL_DRIVER(cuMemFree_v2), &params);
  const MemoryRange range = find_memory(base);
  if (!on_device(range.kind)) return scope.done(kInvalidValue);
  wait_until(device_tail(device_at(range.device)));
  const int64_t from = now_ns();
  wait_for_copies_of(base, range.bytes);
  MemoryRange was;
  if (!release_memory(base, &was)) return scope.done(kInvalidValue);
  wait_until(from + static_cast<int64_t>(settings().malloc_ns));
  return scope.done(kSuccess);
}

int allocate_in_stream_order(void** out, size_t bytes, Stream& stream, const void* stream_handle) {
  if (!out) return kInvalidValue;
  cuMemAllocAsync_params params{reinterpret_cast<CUdeviceptr*>(out), bytes,
                                as_handle<CUstream>(stream_handle)};
  DriverScope scope(GPUSTALL_DRIVER(cuMemAllocAsync), &params);
  *out = bytes ? allocate_device(stream.device->ordinal, bytes, MemoryKind::Device) : nullptr;
  return scope.done(*out || !bytes ? kSuccess : kOutOfMemory);
}

// The pages go back at once: kernels touch nothing, and copies do not wait for their modelled
// moment.
int release_in_stream_order(void* base, Stream&, const void* stream_handle) {
  cuMemFreeAsync_params params{as_device_pointer(base), as_handle<CUstream>(stream_handle)};
  DriverScope scope(GPUSTALL_DRIVER(cuMemFreeAsync), &params);
  wait_for_copies_of(base, find_memory(base).bytes);
  MemoryRange was;
  return scope.done(!base || release_memory(base, &was) ? kSuccess : kInvalidValue);
}

int allocate_host(void** out, size_t bytes, unsigned flags) {
  if (!out) return kInvalidValue;
  Device& device = ready_device();
  cuMemHostAlloc_params params{out, bytes, flags};
  DriverScope scope(GPUSTALL_DRIVER(cuMemHostAlloc), &params);
  const int64_t from = now_ns();
  *out = bytes ? allocate_pinned(device.ordinal, bytes, flags) : nullptr;
  spend_page_locking(from, bytes);
  return scope.done(*out || !bytes ? kSuccess : kOutOfMemory);
}

int release_host(void* base) {
  if (!base) return kSuccess;
  cuMemFreeHost_params params{base};
  DriverScope scope(GPUSTALL_DRIVER(cuMemFreeHost), &params);
  const MemoryRange range = find_memory(base);
  if (range.kind != MemoryKind::Pinned || !range.ours) return scope.done(kInvalidValue);
  wait_until(device_tail(device_at(range.device)));
  wait_for_copies_of(base, range.bytes);
  MemoryRange was;
  return scope.done(release_memory(base, &was) ? kSuccess : kInvalidValue);
}

int register_host(void* base, size_t bytes, unsigned flags) {
  Device& device = ready_device();
  cuMemHostRegister_v2_params params{base, bytes, flags};
  DriverScope scope(GPUSTALL_DRIVER(cuMemHostRegister_v2), &params);
  const int64_t from = now_ns();
  if (!register_pinned(device.ordinal, base, bytes, flags))
    return scope.done(712);  // already registered
  spend_page_locking(from, bytes);
  return scope.done(kSuccess);
}

int unregister_host(void* base) {
  cuMemHostUnregister_params params{base};
  DriverScope scope(GPUSTALL_DRIVER(cuMemHostUnregister), &params);
  const MemoryRange range = find_memory(base);
  if (range.kind != MemoryKind::Pinned || range.ours) return scope.done(713);  // not registered
  wait_until(device_tail(device_at(range.device)));
  wait_for_copies_of(base, range.bytes);
  MemoryRange was;
  return scope.done(release_memory(base, &was) ? kSuccess : kInvalidValue);
}

}  // namespace simgpu
