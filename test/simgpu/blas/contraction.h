// The one operation behind all of cuBLAS and cuBLASLt: a GEMM of some size, launched as a driver
// call.
#pragma once
#include <cstdint>

#include "test/simgpu/core/duration_model.h"

namespace simgpu {

struct Gemm {
  int64_t m = 0, n = 0, k = 0, batch = 1;
  Precision precision = Precision::Single;
  bool transpose_a = false, transpose_b = false;
};

// Both return a result code of the driver: 0, or why not.
int run_gemm(const Gemm&, const void* stream_handle);
int run_vector_kernel(const char* name, double bytes, const void* stream_handle);

// CUDA_R_16F and the like, and whether single precision may use the tensor cores.
Precision precision_of(int data_type, bool tensor32);

}  // namespace simgpu
