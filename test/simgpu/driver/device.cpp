// Devices, as the driver names them. The answers are those of ../cudart/properties.cpp, asked
// through the runtime's attribute numbers, which are the driver's.
#include "test/simgpu/core/device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "entry.h"
#include "test/simgpu/core/memory_map.h"
#include "test/simgpu/core/visible_devices.h"

using namespace simgpu;

namespace {

bool valid(CUdevice device) {
  return device >= 0 && static_cast<uint32_t>(device) < device_count();
}

// The two attribute enums agree; the table lives in the runtime stand-in, which is always loaded
// with this library.
int ask_runtime(int* value, int attribute, int device) {
  using Ask = int (*)(int*, int, int);
  static const Ask kAsk = reinterpret_cast<Ask>(dlsym(RTLD_DEFAULT, "cudaDeviceGetAttribute"));
  return kAsk ? kAsk(value, attribute, device) : static_cast<int>(kNotSupported);
}

}  // namespace

extern "C" {

CUresult cuInit(unsigned flags) {
  cuInit_params params{flags};
  return driver_call(GPUSTALL_DRIVER(cuInit), &params, [] { return kSuccess; });
}
CUresult cuDriverGetVersion(int* version) {
  return driver_call(GPUSTALL_DRIVER(cuDriverGetVersion), nullptr,
                     [&] { return *version = 13000, kSuccess; });
}
CUresult cuDeviceGetCount(int* count) {
  return driver_call(GPUSTALL_DRIVER(cuDeviceGetCount), nullptr,
                     [&] { return *count = static_cast<int>(device_count()), kSuccess; });
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  return driver_call(GPUSTALL_DRIVER(cuDeviceGet), nullptr, [&] {
    *device = ordinal;
    return valid(ordinal) ? kSuccess : kInvalidDevice;
  });
}
CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  return driver_call(GPUSTALL_DRIVER(cuDeviceGetName), nullptr, [&] {
    snprintf(name, static_cast<size_t>(length), "gpustall simulated device");
    return valid(device) ? kSuccess : kInvalidDevice;
  });
}
CUresult cuDeviceGetUuid_v2(CUuuid* uuid, CUdevice device) {
  return driver_call(GPUSTALL_DRIVER(cuDeviceGetUuid_v2), nullptr, [&] {
    memcpy(uuid->bytes, "gpustall-sim\0\0\0", 16);
    if (!valid(device)) return kInvalidDevice;
    uuid->bytes[15] = static_cast<char>(visible_devices()[static_cast<size_t>(device)]);
    return kSuccess;
  });
}
CUresult cuDeviceTotalMem_v2(size_t* bytes, CUdevice device) {
  return driver_call(GPUSTALL_DRIVER(cuDeviceTotalMem_v2), nullptr, [&] {
    if (!valid(device)) return kInvalidDevice;
    size_t free_bytes;
    device_memory_use(static_cast<uint32_t>(device), &free_bytes, bytes);
    return kSuccess;
  });
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  return driver_call(GPUSTALL_DRIVER(cuDeviceGetAttribute), nullptr,
                     [&] { return ask_runtime(value, static_cast<int>(attribute), device); });
}
CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice) {
  return driver_call(GPUSTALL_DRIVER(cuDeviceComputeCapability), nullptr,
                     [&] { return *major = 8, *minor = 0, kSuccess; });
}

}  // extern "C"
