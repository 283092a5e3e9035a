// Device memory: allocation, pools, questions about pointers, device variables.
#include "entry.h"
#include "registration.h"
#include "test/simgpu/core/allocation.h"
#include "test/simgpu/core/device.h"

using namespace simgpu;

namespace {

int allocate_async(void** out, size_t bytes, cudaStream_t handle, bool per_thread) {
  Stream* stream = resolve_stream(handle, per_thread);
  return stream ? allocate_in_stream_order(out, bytes, *stream, handle)
                : static_cast<int>(kInvalidHandle);
}

int release_async(void* base, cudaStream_t handle, bool per_thread) {
  Stream* stream = resolve_stream(handle, per_thread);
  return stream ? release_in_stream_order(base, *stream, handle) : static_cast<int>(kInvalidHandle);
}

}  // namespace

extern "C" {

cudaError_t cudaMalloc(void** base, size_t bytes) {
  cudaMalloc_v3020_params params{base, bytes};
  return runtime_call(GPUSTALL_RUNTIME(cudaMalloc, v3020), &params,
                      [&] { return allocate(base, bytes, MemoryKind::Device); });
}

cudaError_t cudaMallocManaged(void** base, size_t bytes, unsigned flags) {
  cudaMallocManaged_v6000_params params{base, bytes, flags};
  return runtime_call(GPUSTALL_RUNTIME(cudaMallocManaged, v6000), &params,
                      [&] { return allocate(base, bytes, MemoryKind::Managed); });
}

cudaError_t cudaMallocPitch(void** base, size_t* pitch, size_t width, size_t height) {
  cudaMallocPitch_v3020_params params{base, pitch, width, height};
  return runtime_call(GPUSTALL_RUNTIME(cudaMallocPitch, v3020), &params, [&] {
    *pitch = (width + 511) / 512 * 512;
    return allocate(base, *pitch * height, MemoryKind::Device);
  });
}

cudaError_t cudaFree(void* base) {
  cudaFree_v3020_params params{base};
  return runtime_call(GPUSTALL_RUNTIME(cudaFree, v3020), &params, [&] {
    ready_device();  // cudaFree(nullptr) is the usual way to create the context
    return release(base);
  });
}

cudaError_t cudaMallocAsync(void** base, size_t bytes, cudaStream_t stream) {
  cudaMallocAsync_v11020_params params{base, bytes, stream};
  return runtime_call(GPUSTALL_RUNTIME(cudaMallocAsync, v11020), &params,
                      [&] { return allocate_async(base, bytes, stream, false); });
}
cudaError_t cudaMallocAsync_ptsz(void** base, size_t bytes, cudaStream_t stream) {
  cudaMallocAsync_v11020_params params{base, bytes, stream};
  return runtime_call(GPUSTALL_RUNTIME(cudaMallocAsync_ptsz, v11020), &params,
                      [&] { return allocate_async(base, bytes, stream, true); });
}
cudaError_t cudaMallocFromPoolAsync(void** base, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  cudaMallocFromPoolAsync_v11020_params params{base, bytes, pool, stream};
  return runtime_call(GPUSTALL_RUNTIME(cudaMallocFromPoolAsync, v11020), &params,
                      [&] { return allocate_async(base, bytes, stream, false); });
}
cudaError_t cudaFreeAsync(void* base, cudaStream_t stream) {
  cudaFreeAsync_v11020_params params{base, stream};
  return runtime_call(GPUSTALL_RUNTIME(cudaFreeAsync, v11020), &params,
                      [&] { return release_async(base, stream, false); });
}
cudaError_t cudaFreeAsync_ptsz(void* base, cudaStream_t stream) {
  cudaFreeAsync_v11020_params params{base, stream};
  return runtime_call(GPUSTALL_RUNTIME(cudaFreeAsync_ptsz, v11020), &params,
                      [&] { return release_async(base, stream, true); });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return runtime_call(GPUSTALL_RUNTIME(cudaPointerGetAttributes, v4000), nullptr, [&] {
    if (!attributes) return kInvalidValue;
    const MemoryRange range = find_memory(pointer);
    *attributes = {};
    attributes->device = range.kind == MemoryKind::Pageable ? -2 : static_cast<int>(range.device);
    void* address = const_cast<void*>(pointer);
    switch (range.kind) {
      case MemoryKind::Device:
        attributes->type = cudaMemoryTypeDevice;
        break;
      case MemoryKind::Managed:
        attributes->type = cudaMemoryTypeManaged;
        break;
      case MemoryKind::Pinned:
        attributes->type = cudaMemoryTypeHost;
        break;
      default:
        attributes->type = cudaMemoryTypeUnregistered;
        break;
    }
    if (range.kind != MemoryKind::Pageable) attributes->devicePointer = address;
    if (range.kind != MemoryKind::Device) attributes->hostPointer = address;
    return kSuccess;
  });
}

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return runtime_call(GPUSTALL_RUNTIME(cudaGetSymbolAddress, v3020), nullptr, [&] {
    size_t bytes;
    *address = variable_memory(symbol, &bytes);
    return *address ? 0 : static_cast<int>(cudaErrorInvalidSymbol);
  });
}
cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return runtime_call(GPUSTALL_RUNTIME(cudaGetSymbolSize, v3020), nullptr, [&] {
    return variable_memory(symbol, bytes) ? 0 : static_cast<int>(cudaErrorInvalidSymbol);
  });
}

cudaError_t cudaMemPrefetchAsync(const void*, size_t, cudaMemLocation, unsigned, cudaStream_t) {
  return runtime_call(GPUSTALL_RUNTIME(cudaMemPrefetchAsync, v12020), nullptr,
                      [] { return kSuccess; });
}
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, cudaMemLocation) {
  return runtime_call(GPUSTALL_RUNTIME(cudaMemAdvise, v12020), nullptr, [] { return kSuccess; });
}

}  // extern "C"
