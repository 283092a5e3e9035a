// Memsets.
#include "entry.h"
#include "test/simgpu/core/copy.h"
#include "test/simgpu/core/device.h"

using namespace simgpu;

namespace {

int run(SetRequest request, cudaStream_t handle, bool per_thread) {
  request.stream = resolve_stream(handle, per_thread);
  request.stream_handle = handle;
  return request.stream ? set_memory(request) : static_cast<int>(kInvalidHandle);
}

SetRequest plain(void* to, int value, size_t bytes, bool async) {
  SetRequest request;
  request.to = to;
  request.value = static_cast<unsigned char>(value);
  request.row_bytes = bytes;
  request.async = async;
  return request;
}

SetRequest rows(void* to, size_t pitch, int value, size_t width, size_t height, bool async) {
  SetRequest request = plain(to, value, width, async);
  request.rows = height;
  request.pitch = pitch;
  return request;
}

}  // namespace

extern "C" {

cudaError_t cudaMemset(void* to, int value, size_t bytes) {
  cudaMemset_v3020_params params{to, value, bytes};
  return runtime_call(GPUSTALL_RUNTIME(cudaMemset, v3020), &params,
                      [&] { return run(plain(to, value, bytes, false), nullptr, false); });
}
cudaError_t cudaMemset_ptds(void* to, int value, size_t bytes) {
  cudaMemset_v3020_params params{to, value, bytes};
  return runtime_call(GPUSTALL_RUNTIME(cudaMemset_ptds, v7000), &params,
                      [&] { return run(plain(to, value, bytes, false), nullptr, true); });
}
cudaError_t cudaMemsetAsync(void* to, int value, size_t bytes, cudaStream_t stream) {
  cudaMemsetAsync_v3020_params params{to, value, bytes, stream};
  return runtime_call(GPUSTALL_RUNTIME(cudaMemsetAsync, v3020), &params,
                      [&] { return run(plain(to, value, bytes, true), stream, false); });
}
cudaError_t cudaMemsetAsync_ptsz(void* to, int value, size_t bytes, cudaStream_t stream) {
  cudaMemsetAsync_v3020_params params{to, value, bytes, stream};
  return runtime_call(GPUSTALL_RUNTIME(cudaMemsetAsync_ptsz, v7000), &params,
                      [&] { return run(plain(to, value, bytes, true), stream, true); });
}
cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  cudaMemset2D_v3020_params params{to, pitch, value, width, height};
  return runtime_call(GPUSTALL_RUNTIME(cudaMemset2D, v3020), &params, [&] {
    return run(rows(to, pitch, value, width, height, false), nullptr, false);
  });
}
cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  cudaMemset2DAsync_v3020_params params{to, pitch, value, width, height, stream};
  return runtime_call(GPUSTALL_RUNTIME(cudaMemset2DAsync, v3020), &params, [&] {
    return run(rows(to, pitch, value, width, height, true), stream, false);
  });
}

}  // extern "C"
