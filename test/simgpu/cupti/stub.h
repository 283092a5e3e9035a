// The stub of an exported name that nothing else defines. Weak: a real implementation elsewhere
// wins at the link, so no list of "what is implemented" has to be kept.
#pragma once
#include <atomic>

extern "C" int gpustall_sim_cupti_stub(const char* name, std::atomic<bool>* said);

#define GPUSTALL_CUPTI_STUB(name)                                      \
  extern "C" __attribute__((weak, visibility("default"))) int name() { \
    static std::atomic<bool> said{false};                              \
    return gpustall_sim_cupti_stub(#name, &said);                      \
  }
