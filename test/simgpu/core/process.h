// The life of the device in this process: initialisation at the first CUDA call, the injected
// library, fork.
#pragma once
#include "export.h"
#include "status.h"

namespace simgpu {

// To be called first in every entry point. kNotInitialized in the forked child of a process that
// used CUDA, kNoDevice when the settings say devices=0.
GPUSTALL_SIM_API Status ensure_started();

}  // namespace simgpu
