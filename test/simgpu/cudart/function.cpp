// Questions about kernels: attributes and occupancy. Constant answers of a plausible kernel.
#include <string.h>

#include "entry.h"
#include "test/simgpu/core/kernel_table.h"

using namespace simgpu;

namespace {

constexpr int kThreadsPerProcessor = 2048;
constexpr int kMaxThreads = 1024;

int blocks_per_processor(int block_size, size_t smem) {
  if (block_size <= 0) return 0;
  int blocks = kThreadsPerProcessor / block_size;
  if (blocks > 32) blocks = 32;
  if (smem > 0) {
    const int by_memory = static_cast<int>((164U << 10) / smem);
    if (by_memory < blocks) blocks = by_memory;
  }
  return blocks;
}

}  // namespace

extern "C" {

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* func) {
  cudaFuncGetAttributes_v3020_params params{attributes, func};
  return runtime_call(GPUSTALL_RUNTIME(cudaFuncGetAttributes, v3020), &params, [&] {
    if (!attributes) return static_cast<int>(kInvalidValue);
    memset(attributes, 0, sizeof *attributes);
    attributes->maxThreadsPerBlock = kMaxThreads;
    attributes->numRegs = 32;
    attributes->ptxVersion = attributes->binaryVersion = 80;
    attributes->maxDynamicSharedSizeBytes = 48 << 10;
    return static_cast<int>(kSuccess);
  });
}

cudaError_t cudaFuncSetAttribute(const void* func, cudaFuncAttribute attribute, int value) {
  cudaFuncSetAttribute_v9000_params params{func, attribute, value};
  return runtime_call(GPUSTALL_RUNTIME(cudaFuncSetAttribute, v9000), &params,
                      [] { return kSuccess; });
}

cudaError_t cudaFuncSetCacheConfig(const void* func, cudaFuncCache config) {
  cudaFuncSetCacheConfig_v3020_params params{func, config};
  return runtime_call(GPUSTALL_RUNTIME(cudaFuncSetCacheConfig, v3020), &params,
                      [] { return kSuccess; });
}

cudaError_t cudaFuncGetName(const char** name, const void* func) {
  return runtime_call(GPUSTALL_RUNTIME(cudaFuncGetName, v12030), nullptr, [&] {
    const Kernel* kernel = find_kernel(func);
    if (!kernel || !name) return static_cast<int>(kInvalidValue);
    *name = kernel->name.load();
    return static_cast<int>(kSuccess);
  });
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* symbol) {
  return runtime_call(GPUSTALL_RUNTIME(cudaGetFuncBySymbol, v11000), nullptr, [&] {
    *function = reinterpret_cast<cudaFunction_t>(find_kernel(symbol));
    return *function ? kSuccess : kInvalidValue;
  });
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* entry) {
  return runtime_call(GPUSTALL_RUNTIME(cudaGetKernel, v12000), nullptr, [&] {
    *kernel = reinterpret_cast<cudaKernel_t>(find_kernel(entry));
    return *kernel ? kSuccess : kInvalidValue;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int block_size,
                                                          size_t smem) {
  return runtime_call(GPUSTALL_RUNTIME(cudaOccupancyMaxActiveBlocksPerMultiprocessor, v6050),
                      nullptr, [&] {
                        *blocks = blocks_per_processor(block_size, smem);
                        return kSuccess;
                      });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*,
                                                                   int block_size, size_t smem,
                                                                   unsigned) {
  return runtime_call(
      GPUSTALL_RUNTIME(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, v7000), nullptr,
      [&] {
        *blocks = blocks_per_processor(block_size, smem);
        return kSuccess;
      });
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void*, int blocks, int) {
  return runtime_call(GPUSTALL_RUNTIME(cudaOccupancyAvailableDynamicSMemPerBlock, v10200), nullptr,
                      [&] {
                        *bytes = blocks > 0 ? (164U << 10) / static_cast<unsigned>(blocks) : 0;
                        return kSuccess;
                      });
}

}  // extern "C"
