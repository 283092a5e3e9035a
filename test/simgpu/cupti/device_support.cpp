// Questions about the device, answered for the modelled one.
#include "entry.h"

using namespace simgpu::cupti;

CUptiResult cuptiComputeCapabilitySupported(int major, int minor, int* support) {
  if (support == nullptr) return leave(CUPTI_ERROR_INVALID_PARAMETER);
  *support = major > 7 || (major == 7 && minor >= 5) ? 1 : 0;  // CUDA 13 starts with Turing
  return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiDeviceSupported(CUdevice, int* support) {
  GPUSTALL_CUPTI_GATE();
  if (support == nullptr) return leave(CUPTI_ERROR_INVALID_PARAMETER);
  *support = 1;
  return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiDeviceVirtualizationMode(CUdevice, CUpti_DeviceVirtualizationMode* mode) {
  GPUSTALL_CUPTI_GATE();
  if (mode == nullptr) return leave(CUPTI_ERROR_INVALID_PARAMETER);
  *mode = CUPTI_DEVICE_VIRTUALIZATION_MODE_NONE;
  return leave(CUPTI_SUCCESS);
}
