// Copies. The direction follows from the addresses, as unified addressing allows; a wrong `kind` is
// not punished.
#include "test/simgpu/core/copy.h"

#include "entry.h"
#include "registration.h"
#include "test/simgpu/core/device.h"

using namespace simgpu;

namespace {

struct Target {
  cudaStream_t handle;
  bool per_thread;
  bool async;
};

int run(CopyRequest request, Target target) {
  request.stream = resolve_stream(target.handle, target.per_thread);
  request.stream_handle = target.handle;
  request.async = target.async;
  return request.stream ? copy(request) : static_cast<int>(kInvalidHandle);
}

CopyRequest plain(void* to, const void* from, size_t bytes) {
  CopyRequest request;
  request.to = to;
  request.from = from;
  request.row_bytes = bytes;
  return request;
}

CopyRequest rows(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                 size_t height) {
  CopyRequest request = plain(to, from, width);
  request.rows = height;
  request.to_pitch = to_pitch;
  request.from_pitch = from_pitch;
  return request;
}

int to_symbol(const void* symbol, const void* from, size_t bytes, size_t offset, Target target) {
  size_t size = 0;
  char* memory = static_cast<char*>(variable_memory(symbol, &size));
  if (!memory) return cudaErrorInvalidSymbol;
  if (offset + bytes > size) return kInvalidValue;
  CopyRequest request = plain(memory + offset, from, bytes);
  request.to_symbol = true;
  return run(request, target);
}

}  // namespace

extern "C" {

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  cudaMemcpy_v3020_params params{to, from, bytes, kind};
  return runtime_call(GPUSTALL_RUNTIME(cudaMemcpy, v3020), &params, [&] {
    return run(plain(to, from, bytes), {nullptr, false, false});
  });
}
cudaError_t cudaMemcpy_ptds(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  cudaMemcpy_v3020_params params{to, from, bytes, kind};
  return runtime_call(GPUSTALL_RUNTIME(cudaMemcpy_ptds, v7000), &params, [&] {
    return run(plain(to, from, bytes), {nullptr, true, false});
  });
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  cudaMemcpyAsync_v3020_params params{to, from, bytes, kind, stream};
  return runtime_call(GPUSTALL_RUNTIME(cudaMemcpyAsync, v3020), &params, [&] {
    return run(plain(to, from, bytes), {stream, false, true});
  });
}
cudaError_t cudaMemcpyAsync_ptsz(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                 cudaStream_t stream) {
  cudaMemcpyAsync_v3020_params params{to, from, bytes, kind, stream};
  return runtime_call(GPUSTALL_RUNTIME(cudaMemcpyAsync_ptsz, v7000), &params, [&] {
    return run(plain(to, from, bytes), {stream, true, true});
  });
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  cudaMemcpy2D_v3020_params params{to, to_pitch, from, from_pitch, width, height, kind};
  return runtime_call(GPUSTALL_RUNTIME(cudaMemcpy2D, v3020), &params, [&] {
    return run(rows(to, to_pitch, from, from_pitch, width, height), {nullptr, false, false});
  });
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  cudaMemcpy2DAsync_v3020_params params{to,    to_pitch, from, from_pitch,
                                        width, height,   kind, stream};
  return runtime_call(GPUSTALL_RUNTIME(cudaMemcpy2DAsync, v3020), &params, [&] {
    return run(rows(to, to_pitch, from, from_pitch, width, height), {stream, false, true});
  });
}
cudaError_t cudaMemcpy2DAsync_ptsz(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                                   size_t width, size_t height, cudaMemcpyKind kind,
                                   cudaStream_t stream) {
  cudaMemcpy2DAsync_v3020_params params{to,    to_pitch, from, from_pitch,
                                        width, height,   kind, stream};
  return runtime_call(GPUSTALL_RUNTIME(cudaMemcpy2DAsync_ptsz, v7000), &params, [&] {
    return run(rows(to, to_pitch, from, from_pitch, width, height), {stream, true, true});
  });
}
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device,
                           size_t bytes) {
  cudaMemcpyPeer_v4000_params params{to, to_device, from, from_device, bytes};
  return runtime_call(GPUSTALL_RUNTIME(cudaMemcpyPeer, v4000), &params, [&] {
    return run(plain(to, from, bytes), {nullptr, false, false});
  });
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device,
                                size_t bytes, cudaStream_t stream) {
  cudaMemcpyPeerAsync_v4000_params params{to, to_device, from, from_device, bytes, stream};
  return runtime_call(GPUSTALL_RUNTIME(cudaMemcpyPeerAsync, v4000), &params, [&] {
    return run(plain(to, from, bytes), {stream, false, true});
  });
}
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  cudaMemcpyToSymbol_v3020_params params{symbol, from, bytes, offset, kind};
  return runtime_call(GPUSTALL_RUNTIME(cudaMemcpyToSymbol, v3020), &params, [&] {
    return to_symbol(symbol, from, bytes, offset, {nullptr, false, false});
  });
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes,
                                    size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  cudaMemcpyToSymbolAsync_v3020_params params{symbol, from, bytes, offset, kind, stream};
  return runtime_call(GPUSTALL_RUNTIME(cudaMemcpyToSymbolAsync, v3020), &params, [&] {
    return to_symbol(symbol, from, bytes, offset, {stream, false, true});
  });
}

}  // extern "C"
