// Launching kernels: of the program (through runtime or driver) and of the modelled libraries.
#pragma once
#include "duration_model.h"
#include "export.h"
#include "kernel_table.h"

namespace simgpu {

struct Stream;

enum class LaunchCall : uint8_t { Kernel, KernelEx, Cooperative };

struct LaunchRequest {
  Kernel* kernel = nullptr;
  Shape shape;
  Stream* stream = nullptr;
  const void* stream_handle = nullptr;  // as the program passed it
  void** args = nullptr;                // for the effect; may be null
  LaunchCall call = LaunchCall::Kernel;
  const void* config = nullptr;  // CUlaunchConfig of KernelEx
  int64_t duration_ns = -1;      // < 0: by the model
};

// Opens the driver scope. The caller holds the runtime scope, if it is the runtime.
GPUSTALL_SIM_API int launch(const LaunchRequest&);
// A kernel of cuBLAS, cuBLASLt or cuDNN: a driver call with nothing of the runtime around it.
GPUSTALL_SIM_API int launch_library_kernel(const char* name, Stream*, const void* stream_handle,
                                           const Shape&, int64_t duration_ns);
// The first handle of a library costs time; call with a static flag per library.
GPUSTALL_SIM_API void load_library_once(std::atomic<bool>* loaded);

}  // namespace simgpu
