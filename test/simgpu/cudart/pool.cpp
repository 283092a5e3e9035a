// Memory pools: one per device, always the same; stream-ordered allocation itself is in memory.cpp.
#include <string.h>

#include "entry.h"
#include "test/simgpu/core/device.h"
#include "test/simgpu/core/memory_map.h"

using namespace simgpu;

namespace {

cudaMemPool_t pool_of(int device) {
  return reinterpret_cast<cudaMemPool_t>(&device_at(static_cast<uint32_t>(device)));
}

int get_pool(cudaMemPool_t* pool, int device) {
  if (device < 0 || static_cast<uint32_t>(device) >= device_count()) return kInvalidDevice;
  *pool = pool_of(device);
  return kSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return runtime_call(GPUSTALL_RUNTIME(cudaDeviceGetDefaultMemPool, v11020), nullptr,
                      [&] { return get_pool(pool, device); });
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return runtime_call(GPUSTALL_RUNTIME(cudaDeviceGetMemPool, v11020), nullptr,
                      [&] { return get_pool(pool, device); });
}
cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t) {
  return runtime_call(GPUSTALL_RUNTIME(cudaDeviceSetMemPool, v11020), nullptr,
                      [] { return kSuccess; });
}
cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return runtime_call(GPUSTALL_RUNTIME(cudaMemPoolCreate, v11020), nullptr,
                      [&] { return get_pool(pool, properties->location.id); });
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t) {
  return runtime_call(GPUSTALL_RUNTIME(cudaMemPoolDestroy, v11020), nullptr,
                      [] { return kSuccess; });
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) {
  return runtime_call(GPUSTALL_RUNTIME(cudaMemPoolSetAttribute, v11020), nullptr,
                      [] { return kSuccess; });
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return runtime_call(GPUSTALL_RUNTIME(cudaMemPoolGetAttribute, v11020), nullptr, [&] {
    if (attribute < cudaMemPoolAttrReleaseThreshold) {
      memset(value, 0, sizeof(int));
      return kSuccess;
    }
    const Device* device = reinterpret_cast<Device*>(pool);
    size_t free_bytes, total_bytes;
    device_memory_use(device->ordinal, &free_bytes, &total_bytes);
    const uint64_t used =
        attribute == cudaMemPoolAttrReleaseThreshold ? 0 : total_bytes - free_bytes;
    memcpy(value, &used, sizeof used);
    return kSuccess;
  });
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc*, size_t) {
  return runtime_call(GPUSTALL_RUNTIME(cudaMemPoolSetAccess, v11020), nullptr,
                      [] { return kSuccess; });
}
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t, cudaMemLocation*) {
  return runtime_call(GPUSTALL_RUNTIME(cudaMemPoolGetAccess, v11020), nullptr, [&] {
    *flags = cudaMemAccessFlagsProtReadWrite;
    return kSuccess;
  });
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) {
  return runtime_call(GPUSTALL_RUNTIME(cudaMemPoolTrimTo, v11020), nullptr,
                      [] { return kSuccess; });
}

}  // extern "C"
