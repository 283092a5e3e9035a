// cuptiGetCallbackName, from lists that the build generates out of the toolkit's headers. As in the
// real library: versioned names ("cudaLaunchKernel_v7000"), "INVALID" for id 0, nothing outside the
// API domains.
#include "entry.h"

namespace simgpu::cupti {
namespace {

struct CallbackName {
  uint32_t id;
  const char* name;
};
constexpr CallbackName kRuntime[] = {
#include "runtime_names.inc"
};
constexpr CallbackName kDriver[] = {
#include "driver_names.inc"
};

template <size_t N>
const char* find(const CallbackName (&table)[N], uint32_t id) {
  for (const CallbackName& entry : table) {
    if (entry.id == id) return entry.name;
  }
  return nullptr;
}

}  // namespace
}  // namespace simgpu::cupti

using namespace simgpu::cupti;

CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t cbid, const char** name) {
  if (name == nullptr) return leave(CUPTI_ERROR_INVALID_PARAMETER);
  *name = nullptr;
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) *name = find(kRuntime, cbid);
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) *name = find(kDriver, cbid);
  return leave(*name == nullptr ? CUPTI_ERROR_INVALID_PARAMETER : CUPTI_SUCCESS);
}
