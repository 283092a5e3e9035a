// How long modelled work takes, in nanoseconds. Pure functions of the work and the settings.
#pragma once
#include <cstddef>
#include <cstdint>

#include "export.h"
#include "memory_map.h"

namespace simgpu {

struct Kernel;

struct Shape {
  uint32_t grid[3] = {1, 1, 1};
  uint32_t block[3] = {1, 1, 1};
  uint32_t dynamic_smem = 0;
};

enum class Precision : uint8_t { Double, Single, Tensor32, Half };

// `args`: of the launch, may be null.
GPUSTALL_SIM_API int64_t kernel_duration(const Kernel&, const Shape&, void** args);
// A dense contraction of that many multiply-adds (GEMM: m*n*k*batch; convolution: outputs * window
// * channels).
GPUSTALL_SIM_API int64_t contraction_duration(double multiply_adds, double outputs, Precision);
// A memory-bound library kernel (normalisation, pooling) that touches so many bytes.
GPUSTALL_SIM_API int64_t streaming_duration(double bytes);
GPUSTALL_SIM_API int64_t copy_duration(size_t bytes, MemoryKind from, MemoryKind to,
                                       bool other_device);
GPUSTALL_SIM_API int64_t memset_duration(size_t bytes);

}  // namespace simgpu
