// The thread's last error, and the names of errors.
#include "entry.h"

namespace simgpu {
namespace {

thread_local int t_last_error = 0;

struct ErrorText {
  int code;
  const char* name;
  const char* text;
};

constexpr ErrorText kErrors[] = {
    {0, "cudaSuccess", "no error"},
    {1, "cudaErrorInvalidValue", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "out of memory"},
    {3, "cudaErrorInitializationError", "initialization error"},
    {4, "cudaErrorCudartUnloading", "driver shutting down"},
    {9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {13, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {35, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {101, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {201, "cudaErrorDeviceUninitialized", "invalid device context"},
    {217, "cudaErrorPeerAccessUnsupported",
     "peer access is not supported between these two devices"},
    {400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {500, "cudaErrorSymbolNotFound", "named symbol not found"},
    {600, "cudaErrorNotReady", "device not ready"},
    {704, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    {705, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled"},
    {712, "cudaErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {713, "cudaErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {801, "cudaErrorNotSupported", "operation not supported"},
    {900, "cudaErrorStreamCaptureUnsupported", "operation not permitted when stream is capturing"},
    {901, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {903, "cudaErrorStreamCaptureUnmatched",
     "capture was not ended in the same stream as it began"},
    {904, "cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
    {907, "cudaErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
    {999, "cudaErrorUnknown", "unknown error"},
};

const ErrorText* find(int code) {
  for (const ErrorText& known : kErrors)
    if (known.code == code) return &known;
  return nullptr;
}

}  // namespace

void remember_error(int result) {
  t_last_error = result;
}

}  // namespace simgpu

using namespace simgpu;

extern "C" {

cudaError_t cudaGetLastError() {
  if (ensure_started() == kNotInitialized) return cudaErrorInitializationError;
  ApiScope scope(ApiDomain::Runtime, CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020,
                 "cudaGetLastError");
  const cudaError_t last = static_cast<cudaError_t>(t_last_error);
  t_last_error = 0;
  return scope.done(last);
}

cudaError_t cudaPeekAtLastError() {
  if (ensure_started() == kNotInitialized) return cudaErrorInitializationError;
  ApiScope scope(ApiDomain::Runtime, CUPTI_RUNTIME_TRACE_CBID_cudaPeekAtLastError_v3020,
                 "cudaPeekAtLastError");
  return scope.done(static_cast<cudaError_t>(t_last_error));
}

const char* cudaGetErrorName(cudaError_t error) {
  const ErrorText* known = find(error);
  return known ? known->name : "unrecognized error code";
}

const char* cudaGetErrorString(cudaError_t error) {
  const ErrorText* known = find(error);
  return known ? known->text : "unrecognized error code";
}

}  // extern "C"
