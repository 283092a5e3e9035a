// Every name that the real libcudnn.so.9 exports, see ../cudart/stubs.cpp.
#include "test/simgpu/core/notice.h"

#define GPUSTALL_SIM_STUB(name)                                                              \
  extern "C" __attribute__((weak)) int name() {                                              \
    static std::atomic<bool> said;                                                           \
    return simgpu::missing("libcudnn", #name, &said, 3000); /* CUDNN_STATUS_NOT_SUPPORTED */ \
  }
#include "exports.inc"
#undef GPUSTALL_SIM_STUB
