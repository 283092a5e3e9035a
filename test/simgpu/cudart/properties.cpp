// What the device says about itself: an A100-like machine. Compute capability 8.0 on purpose:
// with 9.0 torch's attention chooses cuDNN's graph engine, which is not modelled, instead of its
// own flash kernels.
#include <stdio.h>
#include <string.h>

#include "entry.h"
#include "test/simgpu/core/device.h"
#include "test/simgpu/core/memory_map.h"
#include "test/simgpu/core/visible_devices.h"

using namespace simgpu;

namespace {

void fill_limits(cudaDeviceProp& p) {
  p.sharedMemPerBlock = 48 << 10;
  p.sharedMemPerBlockOptin = 163 << 10;
  p.sharedMemPerMultiprocessor = 164 << 10;
  p.reservedSharedMemPerBlock = 1 << 10;
  p.regsPerBlock = p.regsPerMultiprocessor = 65536;
  p.warpSize = 32;
  p.memPitch = 0x7fffffff;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024, p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 0x7fffffff, p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.totalConstMem = 64 << 10;
  p.textureAlignment = p.surfaceAlignment = 512;
  p.texturePitchAlignment = 32;
  p.multiProcessorCount = 108;
  p.maxThreadsPerMultiProcessor = 2048;
  p.maxBlocksPerMultiProcessor = 32;
  p.memoryBusWidth = 5120;
  p.l2CacheSize = 40 << 20;
}

void fill(cudaDeviceProp& p, uint32_t device) {
  memset(&p, 0, sizeof p);
  snprintf(p.name, sizeof p.name, "gpustall simulated device");
  memcpy(p.uuid.bytes, "gpustall-sim\0\0\0", 16);
  p.uuid.bytes[15] = static_cast<char>(visible_devices()[device]);
  size_t free_bytes;
  device_memory_use(device, &free_bytes, &p.totalGlobalMem);
  fill_limits(p);
  p.major = 8;
  p.canMapHostMemory = p.concurrentKernels = p.unifiedAddressing = p.streamPrioritiesSupported = 1;
  p.globalL1CacheSupported = p.localL1CacheSupported = p.managedMemory = p.cooperativeLaunch = 1;
  p.hostRegisterSupported = p.memoryPoolsSupported = p.computePreemptionSupported = 1;
  p.canUseHostPointerForRegisteredMem = p.concurrentManagedAccess = 1;
  p.asyncEngineCount = 2;
  p.pciBusID = static_cast<int>(visible_devices()[device]) + 1;
}

struct Attribute {
  cudaDeviceAttr key;
  int cudaDeviceProp::*value;
};

constexpr Attribute kAttributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, &cudaDeviceProp::maxThreadsPerBlock},
    {cudaDevAttrWarpSize, &cudaDeviceProp::warpSize},
    {cudaDevAttrMaxRegistersPerBlock, &cudaDeviceProp::regsPerBlock},
    {cudaDevAttrMaxRegistersPerMultiprocessor, &cudaDeviceProp::regsPerMultiprocessor},
    {cudaDevAttrMultiProcessorCount, &cudaDeviceProp::multiProcessorCount},
    {cudaDevAttrConcurrentKernels, &cudaDeviceProp::concurrentKernels},
    {cudaDevAttrPciBusId, &cudaDeviceProp::pciBusID},
    {cudaDevAttrPciDeviceId, &cudaDeviceProp::pciDeviceID},
    {cudaDevAttrPciDomainId, &cudaDeviceProp::pciDomainID},
    {cudaDevAttrL2CacheSize, &cudaDeviceProp::l2CacheSize},
    {cudaDevAttrMaxThreadsPerMultiProcessor, &cudaDeviceProp::maxThreadsPerMultiProcessor},
    {cudaDevAttrMaxBlocksPerMultiprocessor, &cudaDeviceProp::maxBlocksPerMultiProcessor},
    {cudaDevAttrAsyncEngineCount, &cudaDeviceProp::asyncEngineCount},
    {cudaDevAttrUnifiedAddressing, &cudaDeviceProp::unifiedAddressing},
    {cudaDevAttrComputeCapabilityMajor, &cudaDeviceProp::major},
    {cudaDevAttrComputeCapabilityMinor, &cudaDeviceProp::minor},
    {cudaDevAttrStreamPrioritiesSupported, &cudaDeviceProp::streamPrioritiesSupported},
    {cudaDevAttrManagedMemory, &cudaDeviceProp::managedMemory},
    {cudaDevAttrCooperativeLaunch, &cudaDeviceProp::cooperativeLaunch},
    {cudaDevAttrMemoryPoolsSupported, &cudaDeviceProp::memoryPoolsSupported},
    {cudaDevAttrHostRegisterSupported, &cudaDeviceProp::hostRegisterSupported},
    {cudaDevAttrGlobalMemoryBusWidth, &cudaDeviceProp::memoryBusWidth},
    {cudaDevAttrCanMapHostMemory, &cudaDeviceProp::canMapHostMemory},
    {cudaDevAttrConcurrentManagedAccess, &cudaDeviceProp::concurrentManagedAccess},
};

int array_attribute(const cudaDeviceProp& p, cudaDeviceAttr key) {
  switch (key) {
    case cudaDevAttrMaxBlockDimX:
      return p.maxThreadsDim[0];
    case cudaDevAttrMaxBlockDimY:
      return p.maxThreadsDim[1];
    case cudaDevAttrMaxBlockDimZ:
      return p.maxThreadsDim[2];
    case cudaDevAttrMaxGridDimX:
      return p.maxGridSize[0];
    case cudaDevAttrMaxGridDimY:
      return p.maxGridSize[1];
    case cudaDevAttrMaxGridDimZ:
      return p.maxGridSize[2];
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return static_cast<int>(p.sharedMemPerBlock);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return static_cast<int>(p.sharedMemPerBlockOptin);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(p.sharedMemPerMultiprocessor);
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return static_cast<int>(p.reservedSharedMemPerBlock);
    case cudaDevAttrTotalConstantMemory:
      return static_cast<int>(p.totalConstMem);
    case cudaDevAttrClockRate:
      return 1'410'000;
    case cudaDevAttrMemoryClockRate:
      return 1'215'000;
    default:
      return 0;  // features that are not there
  }
}

int find_attribute(const cudaDeviceProp& p, cudaDeviceAttr key) {
  for (const Attribute& known : kAttributes)
    if (known.key == key) return p.*known.value;
  return array_attribute(p, key);
}

bool valid(int device) {
  return device >= 0 && static_cast<uint32_t>(device) < device_count();
}

}  // namespace

extern "C" {

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return runtime_call(GPUSTALL_RUNTIME(cudaGetDeviceProperties, v12000), nullptr, [&] {
    if (!properties) return kInvalidValue;
    if (!valid(device)) return kInvalidDevice;
    fill(*properties, static_cast<uint32_t>(device));
    return kSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return runtime_call(GPUSTALL_RUNTIME(cudaDeviceGetAttribute, v5000), nullptr, [&] {
    if (!valid(device)) return kInvalidDevice;
    cudaDeviceProp properties;
    fill(properties, static_cast<uint32_t>(device));
    *value = find_attribute(properties, attribute);
    return kSuccess;
  });
}

}  // extern "C"
