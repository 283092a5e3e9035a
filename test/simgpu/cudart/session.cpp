// The profiler range, and entry points of the driver by name.
#include <dlfcn.h>

#include "entry.h"

using namespace simgpu;

namespace {

// Programs ask for driver functions by their plain names; the stand-in of the driver has them as
// exported symbols.
int driver_entry(const char* symbol, void** function, cudaDriverEntryPointQueryResult* result) {
  void* found = dlsym(RTLD_DEFAULT, symbol);
  *function = found;
  if (result) *result = found ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return found || result ? kSuccess : kNotFound;
}

}  // namespace

extern "C" {

cudaError_t cudaProfilerStart() {
  return runtime_call(GPUSTALL_RUNTIME(cudaProfilerStart, v4000), nullptr, [] { return kSuccess; });
}
cudaError_t cudaProfilerStop() {
  return runtime_call(GPUSTALL_RUNTIME(cudaProfilerStop, v4000), nullptr, [] { return kSuccess; });
}
cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* result) {
  return runtime_call(GPUSTALL_RUNTIME(cudaGetDriverEntryPoint, v11030), nullptr,
                      [&] { return driver_entry(symbol, function, result); });
}
cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned,
                                             unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
  return runtime_call(GPUSTALL_RUNTIME(cudaGetDriverEntryPointByVersion, v12050), nullptr,
                      [&] { return driver_entry(symbol, function, result); });
}

}  // extern "C"
