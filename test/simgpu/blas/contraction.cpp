// Kernel names follow the pattern of real ones, so that a reader's grouping by name works as on
// real hardware.
#include "contraction.h"

#include <library_types.h>
#include <stdio.h>

#include "test/simgpu/core/device.h"
#include "test/simgpu/core/launch.h"
#include "test/simgpu/core/process.h"

namespace simgpu {
namespace {

constexpr int64_t kTileM = 128, kTileN = 64;

const char* family(Precision precision) {
  switch (precision) {
    case Precision::Double:
      return "ampere_dgemm";
    case Precision::Single:
      return "ampere_sgemm";
    case Precision::Tensor32:
      return "ampere_s1688gemm_tf32";
    case Precision::Half:
      return "ampere_fp16_s16816gemm_fp16";
  }
  return "gemm";
}

uint32_t tiles(int64_t size, int64_t tile) {
  return static_cast<uint32_t>(size > 0 ? (size + tile - 1) / tile : 1);
}

}  // namespace

Precision precision_of(int data_type, bool tensor32) {
  switch (data_type) {
    case CUDA_R_64F:
    case CUDA_C_64F:
      return Precision::Double;
    case CUDA_R_32F:
    case CUDA_C_32F:
      return tensor32 ? Precision::Tensor32 : Precision::Single;
    default:
      return Precision::Half;
  }
}

int run_gemm(const Gemm& gemm, const void* stream_handle) {
  if (const Status refused = ensure_started()) return refused;
  if (gemm.m <= 0 || gemm.n <= 0 || gemm.batch <= 0) return kSuccess;
  Stream* stream = resolve_stream(stream_handle);
  if (!stream) return kInvalidHandle;
  char name[128];
  snprintf(name, sizeof name, "%s_%dx%d_%s%s", family(gemm.precision), int(kTileM), int(kTileN),
           gemm.transpose_a ? "t" : "n", gemm.transpose_b ? "t" : "n");
  Shape shape;
  shape.grid[0] = tiles(gemm.m, kTileM), shape.grid[1] = tiles(gemm.n, kTileN);
  shape.grid[2] = static_cast<uint32_t>(gemm.batch);
  shape.block[0] = 256;
  shape.dynamic_smem = 49152;
  const double outputs = double(gemm.m) * double(gemm.n) * double(gemm.batch);
  return launch_library_kernel(
      name, stream, stream_handle, shape,
      contraction_duration(outputs * double(gemm.k), outputs, gemm.precision));
}

int run_vector_kernel(const char* name, double bytes, const void* stream_handle) {
  if (const Status refused = ensure_started()) return refused;
  Stream* stream = resolve_stream(stream_handle);
  if (!stream) return kInvalidHandle;
  Shape shape;
  shape.grid[0] = static_cast<uint32_t>(bytes / 4096) + 1;
  shape.block[0] = 128;
  return launch_library_kernel(name, stream, stream_handle, shape, streaming_duration(bytes));
}

}  // namespace simgpu
