// Everything that can be set about the simulated device: one environment string,
// GPUSTALL_SIM="key=value,...". The keys are documented in ../README.md. Read once, at the first
// CUDA call of a process; constant afterwards.
#pragma once
#include <cstdint>
#include <string>

#include "export.h"

namespace simgpu {

struct Settings {
#define GPUSTALL_SIM_SETTING(name, otherwise, least) double name = otherwise;
#include "settings.def"
#undef GPUSTALL_SIM_SETTING
  std::string log;  // ground-truth log; %p = pid; empty = none
};

GPUSTALL_SIM_API const Settings& settings();

}  // namespace simgpu
