// CUDA_VISIBLE_DEVICES: which of the machine's devices the process sees, and in which order.
#pragma once
#include <cstdint>
#include <vector>

#include "export.h"

namespace simgpu {

// The machine's device behind each ordinal of the process. Read once, at the first CUDA call.
GPUSTALL_SIM_API const std::vector<uint32_t>& visible_devices();

}  // namespace simgpu
