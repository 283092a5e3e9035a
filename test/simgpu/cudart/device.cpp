// Devices: counting, choosing, waiting, peers. A thread's current device costs nothing: torch asks
// for it all the time.
#include "test/simgpu/core/device.h"

#include <stdio.h>

#include "entry.h"
#include "test/simgpu/core/memory_map.h"
#include "test/simgpu/core/visible_devices.h"
#include "test/simgpu/core/waiting.h"

using namespace simgpu;

namespace {

constexpr int kCudaVersion = 13000;

int check_device(int device) {
  return device >= 0 && static_cast<uint32_t>(device) < device_count() ? kSuccess : kInvalidDevice;
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) {
  cudaGetDeviceCount_v3020_params params{count};
  if (count) *count = 0;  // also what a process without a device finds there
  return runtime_call(GPUSTALL_RUNTIME(cudaGetDeviceCount, v3020), &params, [&] {
    *count = static_cast<int>(device_count());
    return kSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  cudaGetDevice_v3020_params params{device};
  return runtime_call(GPUSTALL_RUNTIME(cudaGetDevice, v3020), &params, [&] {
    *device = static_cast<int>(current_device());
    return kSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  cudaSetDevice_v3020_params params{device};
  return runtime_call(GPUSTALL_RUNTIME(cudaSetDevice, v3020), &params, [&] {
    if (const int bad = check_device(device)) return bad;
    set_current_device(static_cast<uint32_t>(device));
    ready_device();  // since CUDA 12 this call creates the context
    return static_cast<int>(kSuccess);
  });
}

cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return runtime_call(GPUSTALL_RUNTIME(cudaInitDevice, v12000), nullptr, [&] {
    if (const int bad = check_device(device)) return bad;
    ready_device(static_cast<uint32_t>(device));
    return static_cast<int>(kSuccess);
  });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return runtime_call(GPUSTALL_RUNTIME(cudaGetDeviceFlags, v7000), nullptr, [&] {
    *flags = 0;
    return kSuccess;
  });
}
cudaError_t cudaSetDeviceFlags(unsigned) {
  return runtime_call(GPUSTALL_RUNTIME(cudaSetDeviceFlags, v3020), nullptr,
                      [] { return kSuccess; });
}

cudaError_t cudaDeviceSynchronize() {
  return runtime_call(GPUSTALL_RUNTIME(cudaDeviceSynchronize, v3020), nullptr,
                      [] { return synchronize_device(ready_device()); });
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return runtime_call(GPUSTALL_RUNTIME(cudaDeviceCanAccessPeer, v4000), nullptr, [&] {
    if (const int bad = check_device(device) | check_device(peer)) return bad;
    *can = device != peer;
    return static_cast<int>(kSuccess);
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  return runtime_call(GPUSTALL_RUNTIME(cudaDeviceEnablePeerAccess, v4000), nullptr,
                      [&] { return check_device(peer); });
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return runtime_call(GPUSTALL_RUNTIME(cudaDeviceDisablePeerAccess, v4000), nullptr,
                      [&] { return check_device(peer); });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return runtime_call(GPUSTALL_RUNTIME(cudaDeviceGetStreamPriorityRange, v5050), nullptr, [&] {
    if (least) *least = 0;
    if (greatest) *greatest = -5;
    return kSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* id, int length, int device) {
  return runtime_call(GPUSTALL_RUNTIME(cudaDeviceGetPCIBusId, v4010), nullptr, [&] {
    if (const int bad = check_device(device)) return bad;
    snprintf(id, static_cast<size_t>(length), "0000:%02X:00.0",
             visible_devices()[static_cast<size_t>(device)] + 1);
    return static_cast<int>(kSuccess);
  });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit) {
  return runtime_call(GPUSTALL_RUNTIME(cudaDeviceGetLimit, v3020), nullptr, [&] {
    *value = 1 << 20;
    return kSuccess;
  });
}
cudaError_t cudaDeviceSetLimit(cudaLimit, size_t) {
  return runtime_call(GPUSTALL_RUNTIME(cudaDeviceSetLimit, v3020), nullptr,
                      [] { return kSuccess; });
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  cudaMemGetInfo_v3020_params params{free_bytes, total_bytes};
  return runtime_call(GPUSTALL_RUNTIME(cudaMemGetInfo, v3020), &params, [&] {
    device_memory_use(ready_device().ordinal, free_bytes, total_bytes);
    return kSuccess;
  });
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = kCudaVersion;  // answered without a device, and in a forked child
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = kCudaVersion;
  return cudaSuccess;
}

}  // extern "C"
