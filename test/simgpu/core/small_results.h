// Kernels compute nothing. Their large outputs hold whatever the memory held; but programs read
// small ones (a loss, a norm, a flag) and act on them, so these are defined: a constant fill is
// really done, any other small result is zero.
#pragma once
#include <cstdint>

#include "effect.h"

namespace simgpu {

struct Kernel;

// Where a kernel's arguments say what it writes; found by name, see small_results.cpp.
enum class ResultShape : uint8_t { Unknown, Fill, Elementwise, Reduction, FirstPointer };

void read_result_traits(Kernel& kernel, const char* name);
// What the launch really does to memory; nothing when the arguments are not understood.
Effect result_of(const Kernel& kernel, void** args);

}  // namespace simgpu
