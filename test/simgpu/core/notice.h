// One-line messages to stderr, by raw write, and the voice of the stubs.
#pragma once
#include <atomic>

#include "export.h"

namespace simgpu {

GPUSTALL_SIM_API void notice(const char* format, ...) __attribute__((format(printf, 1, 2)));

// A function that the stand-in does not model was called: says so once per function and returns
// `code`.
GPUSTALL_SIM_API int missing(const char* library, const char* function, std::atomic<bool>* said,
                             int code);

}  // namespace simgpu
