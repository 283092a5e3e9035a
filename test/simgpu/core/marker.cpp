// By this name a recorder knows that the CUDA runtime of its process is the simulated device.
#include "export.h"

extern "C" {
GPUSTALL_SIM_API extern const int gpustall_simulated_device;
const int gpustall_simulated_device = 1;
}
