// Contexts: one per device, the primary one; a thread's current context is its current device.
#include "entry.h"
#include "test/simgpu/core/device.h"
#include "test/simgpu/core/memory_map.h"
#include "test/simgpu/core/waiting.h"

using namespace simgpu;

namespace {

CUcontext context_of(Device& device) {
  return reinterpret_cast<CUcontext>(device.context());
}

Device* device_of(CUcontext context) {
  for (uint32_t i = 0; i < device_count(); ++i)
    if (context_of(device_at(i)) == context) return &device_at(i);
  return nullptr;
}

int make_current(CUcontext context) {
  if (!context) return kSuccess;
  Device* device = device_of(context);
  if (!device) return kInvalidContext;
  set_current_device(device->ordinal);
  return kSuccess;
}

int primary(CUcontext* context, CUdevice device) {
  if (device < 0 || static_cast<uint32_t>(device) >= device_count()) return kInvalidDevice;
  *context = context_of(ready_device(static_cast<uint32_t>(device)));
  return kSuccess;
}

}  // namespace

extern "C" {

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  cuDevicePrimaryCtxRetain_params params{context, device};
  return driver_call(GPUSTALL_DRIVER(cuDevicePrimaryCtxRetain), &params,
                     [&] { return primary(context, device); });
}
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
  return driver_call(GPUSTALL_DRIVER(cuDevicePrimaryCtxRelease_v2), nullptr,
                     [] { return kSuccess; });
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  return driver_call(GPUSTALL_DRIVER(cuDevicePrimaryCtxGetState), nullptr, [&] {
    if (device < 0 || static_cast<uint32_t>(device) >= device_count()) return kInvalidDevice;
    *flags = 0;
    *active = device_at(static_cast<uint32_t>(device)).context_created;
    return kSuccess;
  });
}
CUresult cuCtxGetCurrent(CUcontext* context) {
  return driver_call(GPUSTALL_DRIVER(cuCtxGetCurrent), nullptr, [&] {
    Device& device = device_at(current_device());
    *context = device.context_created ? context_of(device) : nullptr;
    return kSuccess;
  });
}
CUresult cuCtxSetCurrent(CUcontext context) {
  return driver_call(GPUSTALL_DRIVER(cuCtxSetCurrent), nullptr,
                     [&] { return make_current(context); });
}
CUresult cuCtxPushCurrent_v2(CUcontext context) {
  return driver_call(GPUSTALL_DRIVER(cuCtxPushCurrent_v2), nullptr,
                     [&] { return make_current(context); });
}
CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  return driver_call(GPUSTALL_DRIVER(cuCtxPopCurrent_v2), nullptr, [&] {
    if (context) *context = context_of(device_at(current_device()));
    return kSuccess;
  });
}
CUresult cuCtxGetDevice(CUdevice* device) {
  return driver_call(GPUSTALL_DRIVER(cuCtxGetDevice), nullptr,
                     [&] { return *device = static_cast<int>(current_device()), kSuccess; });
}
CUresult cuCtxSynchronize() {
  return core_call([] { return synchronize_device(ready_device()); });
}
CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  return driver_call(GPUSTALL_DRIVER(cuCtxGetStreamPriorityRange), nullptr,
                     [&] { return *least = 0, *greatest = -5, kSuccess; });
}
CUresult cuMemGetInfo_v2(size_t* free_bytes, size_t* total_bytes) {
  return driver_call(GPUSTALL_DRIVER(cuMemGetInfo_v2), nullptr, [&] {
    device_memory_use(current_device(), free_bytes, total_bytes);
    return kSuccess;
  });
}

}  // extern "C"
