// The host side of time: waiting for a moment of the modelled timeline without libc.
#pragma once
#include <cstdint>

#include "export.h"

namespace simgpu {

// Busy host work of an API call (the real one computes, too).
GPUSTALL_SIM_API void spin_until(int64_t when_ns);
// Sleeps until shortly before the moment and spins the rest, as exact as the scheduler allows.
GPUSTALL_SIM_API void wait_until(int64_t when_ns);

}  // namespace simgpu
