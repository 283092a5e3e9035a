// Device variables of the program.
#pragma once
#include <cstddef>

namespace simgpu {

// The memory behind a __device__ variable, by the address of its host shadow; null when it is none.
void* variable_memory(const void* host, size_t* bytes);

}  // namespace simgpu
