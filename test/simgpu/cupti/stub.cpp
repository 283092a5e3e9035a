// What an entry that is exported but not modelled does: one line on stderr per name, then "not
// supported".
#include "stub.h"

#include <cstdio>

#include "entry.h"

extern "C" __attribute__((visibility("hidden"))) int gpustall_sim_cupti_stub(
    const char* name, std::atomic<bool>* said) {
  if (!said->exchange(true)) {
    std::fprintf(stderr, "simgpu libcupti: %s is not modelled (CUPTI_ERROR_NOT_SUPPORTED)\n", name);
  }
  return simgpu::cupti::leave(CUPTI_ERROR_NOT_SUPPORTED);
}

// The NVTX injection entries return 1 for success; 0 tells NVTX to go on without a tool.
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx(void*) {
  return 0;
}
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtx2(void*) {
  return 0;
}
extern "C" __attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(void*) {
  return 0;
}
