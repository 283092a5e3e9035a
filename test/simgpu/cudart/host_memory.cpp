// Pinned host memory.
#include "entry.h"
#include "test/simgpu/core/allocation.h"

using namespace simgpu;

extern "C" {

cudaError_t cudaHostAlloc(void** base, size_t bytes, unsigned flags) {
  cudaHostAlloc_v3020_params params{base, bytes, flags};
  return runtime_call(GPUSTALL_RUNTIME(cudaHostAlloc, v3020), &params,
                      [&] { return allocate_host(base, bytes, flags); });
}
cudaError_t cudaMallocHost(void** base, size_t bytes) {
  cudaMallocHost_v3020_params params{base, bytes};
  return runtime_call(GPUSTALL_RUNTIME(cudaMallocHost, v3020), &params,
                      [&] { return allocate_host(base, bytes, 0); });
}
cudaError_t cudaFreeHost(void* base) {
  cudaFreeHost_v3020_params params{base};
  return runtime_call(GPUSTALL_RUNTIME(cudaFreeHost, v3020), &params,
                      [&] { return release_host(base); });
}
cudaError_t cudaHostRegister(void* base, size_t bytes, unsigned flags) {
  cudaHostRegister_v4000_params params{base, bytes, flags};
  return runtime_call(GPUSTALL_RUNTIME(cudaHostRegister, v4000), &params,
                      [&] { return register_host(base, bytes, flags); });
}
cudaError_t cudaHostUnregister(void* base) {
  cudaHostUnregister_v4000_params params{base};
  return runtime_call(GPUSTALL_RUNTIME(cudaHostUnregister, v4000), &params,
                      [&] { return unregister_host(base); });
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  return runtime_call(GPUSTALL_RUNTIME(cudaHostGetDevicePointer, v3020), nullptr, [&] {
    *device = host;
    return find_memory(host).kind == MemoryKind::Pinned ? kSuccess : kInvalidValue;
  });
}
cudaError_t cudaHostGetFlags(unsigned* flags, void* host) {
  return runtime_call(GPUSTALL_RUNTIME(cudaHostGetFlags, v3020), nullptr, [&] {
    const MemoryRange range = find_memory(host);
    *flags = range.host_flags;
    return range.kind == MemoryKind::Pinned ? kSuccess : kInvalidValue;
  });
}

}  // extern "C"
