// Every name that the real libcuda.so.1 exports (by the toolkit's link stub), see
// ../cudart/stubs.cpp.
#include "test/simgpu/core/notice.h"

#define GPUSTALL_SIM_STUB(name)                                                          \
  extern "C" __attribute__((weak)) int name() {                                          \
    static std::atomic<bool> said;                                                       \
    return simgpu::missing("libcuda", #name, &said, 801); /* CUDA_ERROR_NOT_SUPPORTED */ \
  }
#include "exports.inc"
#undef GPUSTALL_SIM_STUB
