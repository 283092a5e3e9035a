// Every name that the real libcudart.so.13 exports, as a weak function that says once that it is
// not modelled. The modelled ones are strong and win. No CUDA header here: the types would clash.
#include "test/simgpu/core/notice.h"

#define GPUSTALL_SIM_STUB(name)                                                         \
  extern "C" __attribute__((weak)) int name() {                                         \
    static std::atomic<bool> said;                                                      \
    return simgpu::missing("libcudart", #name, &said, 801); /* cudaErrorNotSupported */ \
  }
#include "exports.inc"
#undef GPUSTALL_SIM_STUB
