// What every exported function does first and last: the gate (a forked child, a process without a
// usable driver) and the thread's last error. Include this before any CUPTI header: CUPTI_LIB makes
// the headers declare the entries with default visibility, everything else here is hidden.
#pragma once
#define CUPTI_LIB 1
#include <cupti.h>

#include "../core/api_scope.h"

namespace simgpu::cupti {

// CUPTI_SUCCESS, or what every entry answers in this process: NOT_INITIALIZED in a forked child of
// a process that used CUPTI (the worker thread and the client's threads are gone there), UNKNOWN
// under subscribe=999 as without a driver.
CUptiResult gate();

// Remembers the result for cuptiGetLastError and passes it through.
CUptiResult leave(CUptiResult result);

bool forked_child();
void note_use();

}  // namespace simgpu::cupti

#define GPUSTALL_CUPTI_GATE()                                                   \
  do {                                                                          \
    const CUptiResult gate_result = simgpu::cupti::gate();                      \
    if (gate_result != CUPTI_SUCCESS) return simgpu::cupti::leave(gate_result); \
  } while (0)
