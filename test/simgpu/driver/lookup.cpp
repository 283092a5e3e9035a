// Names: of errors, and of entry points. A program asks for cuMemAlloc and means the newest version
// of it.
#include <dlfcn.h>
#include <stdio.h>

#include <initializer_list>

#include "entry.h"

using namespace simgpu;

namespace {

void* newest(const char* symbol) {
  for (const char* suffix : {"_v4", "_v3", "_v2", ""}) {
    char name[128];
    snprintf(name, sizeof name, "%s%s", symbol, suffix);
    if (void* found = dlsym(RTLD_DEFAULT, name)) return found;
  }
  return nullptr;
}

const char* text_of(CUresult error) {
  switch (static_cast<int>(error)) {
    case kSuccess:
      return "no error";
    case kInvalidValue:
      return "invalid argument";
    case kOutOfMemory:
      return "out of memory";
    case kNotInitialized:
      return "initialization error";
    case kNoDevice:
      return "no CUDA-capable device is detected";
    case kInvalidDevice:
      return "invalid device ordinal";
    case kInvalidContext:
      return "invalid device context";
    case kInvalidHandle:
      return "invalid resource handle";
    case kNotFound:
      return "named symbol not found";
    case kNotReady:
      return "device not ready";
    case kNotSupported:
      return "operation not supported";
    default:
      return "unknown error";
  }
}

}  // namespace

extern "C" {

CUresult cuGetErrorString(CUresult error, const char** text) {
  return *text = text_of(error), CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult error, const char** text) {
  return *text = text_of(error), CUDA_SUCCESS;
}

CUresult cuGetProcAddress_v2(const char* symbol, void** function, int, cuuint64_t,
                             CUdriverProcAddressQueryResult* result) {
  return driver_call(GPUSTALL_DRIVER(cuGetProcAddress_v2), nullptr, [&] {
    *function = newest(symbol);
    if (result)
      *result = *function ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
    return *function ? kSuccess : kNotFound;
  });
}
CUresult cuGetProcAddress(const char* symbol, void** function, int version, cuuint64_t flags) {
  return cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
}

}  // extern "C"
