// Every name that the real libcublasLt.so.13 exports, see ../cudart/stubs.cpp.
#include "test/simgpu/core/notice.h"

#define GPUSTALL_SIM_STUB(name)                                                                \
  extern "C" __attribute__((weak)) int name() {                                                \
    static std::atomic<bool> said;                                                             \
    return simgpu::missing("libcublasLt", #name, &said, 15); /* CUBLAS_STATUS_NOT_SUPPORTED */ \
  }
#include "cublaslt_exports.inc"
#undef GPUSTALL_SIM_STUB
