// The driver half of every operation: an ApiScope of the driver domain that knows its callback id
// and name.
#pragma once
// The driver's own view of cuda.h: no renaming of cuX to cuX_v2, and the types of the 32-bit API,
// which the parameter structures need.
#ifndef __CUDA_API_VERSION_INTERNAL
#define __CUDA_API_VERSION_INTERNAL
#endif
#include <cuda.h>
#include <cupti_driver_cbid.h>
#include <generated_cuda_meta.h>

#include "api_scope.h"

// DRIVER_CALL(cuMemAlloc_v2): the first two arguments of a DriverScope. cupti_driver_cbid.h has an
// enum per name.
#define GPUSTALL_DRIVER(name)             \
  ::simgpu::DriverName {                  \
    CUPTI_DRIVER_TRACE_CBID_##name, #name \
  }

namespace simgpu {

struct DriverName {
  uint32_t cbid;
  const char* name;
};

class DriverScope : public ApiScope {
 public:
  explicit DriverScope(DriverName call, const void* params = nullptr, const char* symbol = nullptr)
      : ApiScope(ApiDomain::Driver, call.cbid, call.name, params, symbol) {}
};

template <typename Handle>
Handle as_handle(const void* object) {
  return reinterpret_cast<Handle>(const_cast<void*>(object));
}

inline CUdeviceptr as_device_pointer(const void* address) {
  return reinterpret_cast<CUdeviceptr>(address);
}

}  // namespace simgpu
