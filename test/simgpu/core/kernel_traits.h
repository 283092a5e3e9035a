// What a kernel's mangled name says about its cost and its effect. Device-independent, no state.
#pragma once
#include "kernel_table.h"

namespace simgpu {

void read_traits(Kernel& kernel, const char* name);

}  // namespace simgpu
