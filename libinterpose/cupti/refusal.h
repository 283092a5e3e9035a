// Why CUPTI refused us, in words that name the remedy; they go into the trace and the report.
#pragma once
#include <cupti.h>

namespace gpustall::interpose::cupti {

constexpr const char* refusal_text(CUptiResult result, bool forked) noexcept {
  if (result == CUPTI_ERROR_NOT_INITIALIZED && forked)
    return "the process that forked this one had used CUPTI, which then does not work in its "
           "children; start them by spawn to see the device";
  switch (static_cast<int>(result)) {
    case 14:
      return "CUPTI is used through its version 2 interface in this process, which excludes ours; "
             "switch the program's CUPTI monitor off to see the device";
    case 39:
      return "another tool holds CUPTI (nsys, compute-sanitizer, cuda-gdb, KINETO_USE_DAEMON, "
             "NVTX_INJECTION64_PATH=libcupti); run without it to see the device";
    case 35:
    case 40:
      return "no permission to trace this device; see NVIDIA's ERR_NVGPUCTRPERM, or run as root";
    case 15:
    case 999:
      return "CUPTI failed: no usable NVIDIA driver, or one older than this libcupti; compare "
             "nvidia-smi with the CUDA version of the program";
    default:
      return "CUPTI refused; CUDA calls are recorded without device activity";
  }
}

}  // namespace gpustall::interpose::cupti
