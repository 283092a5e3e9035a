// The frame of every runtime entry point: start the device, open the callback scope, remember the
// error. Nothing else in this folder touches the thread's last error.
#pragma once
#include <cuda_runtime_api.h>
#include <cupti_runtime_cbid.h>
#include <generated_cuda_runtime_api_meta.h>

#include "test/simgpu/core/api_scope.h"
#include "test/simgpu/core/process.h"

// GPUSTALL_RUNTIME(cudaMalloc, v3020): the callback id and the name as CUPTI shows them.
#define GPUSTALL_RUNTIME(name, version)                \
  ::simgpu::RuntimeName {                              \
    CUPTI_RUNTIME_TRACE_CBID_##name##_##version, #name \
  }

namespace simgpu {

struct RuntimeName {
  uint32_t cbid;
  const char* name;
};

void remember_error(int result);

template <typename Body>
cudaError_t runtime_call(RuntimeName call, const void* params, Body body,
                         const char* symbol = nullptr) {
  // Without a device there is no callback either: a forked child must not run a subscriber's code.
  if (const Status refused = ensure_started()) {
    remember_error(refused);
    return static_cast<cudaError_t>(refused);
  }
  ApiScope scope(ApiDomain::Runtime, call.cbid, call.name, params, symbol);
  const int result = static_cast<int>(body());
  if (result != 0) remember_error(result);
  return static_cast<cudaError_t>(scope.done(result));
}

}  // namespace simgpu
