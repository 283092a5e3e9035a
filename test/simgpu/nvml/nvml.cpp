// The management library of the simulated device: what GPUSTALL_SIM says of the card, and "not
// supported" where it says nothing. It has a name of its own and is opened by gpustall alone, so
// that a program that looks for NVML does not meet a library with a few of its entries.
#include <cstdio>
#include <cstring>

#include "test/simgpu/core/api_scope.h"
#include "test/simgpu/core/export.h"
#include "test/simgpu/core/settings.h"

namespace {

enum Result { kSuccess = 0, kInvalidArgument = 2, kNotSupported = 3, kNotFound = 6, kTooSmall = 7 };
enum Clock { kGraphics, kSm, kMemory };
using simgpu::settings;

int64_t g_start_ns = 0;

// The device's number within the machine is in its address.
void* handle_of(unsigned bus) {
  return reinterpret_cast<void*>(static_cast<uintptr_t>(bus));
}

template <typename Value>
int answer(double setting, Value* to) {
  if (to == nullptr) return kInvalidArgument;
  if (setting < 0) return kNotSupported;
  *to = static_cast<Value>(setting);
  return kSuccess;
}

bool throttled() {
  const double since = static_cast<double>(simgpu::now_ns() - g_start_ns) / 1e9;
  return settings().throttle > 0 && since >= settings().throttle_from_s &&
         since < settings().throttle_from_s + settings().throttle_for_s;
}

}  // namespace

extern "C" {

int nvmlInit_v2() {
  if (g_start_ns == 0) g_start_ns = simgpu::now_ns();
  return kSuccess;
}

int nvmlSystemGetDriverVersion(char* version, unsigned length) {
  snprintf(version, length, "simulated");
  return kSuccess;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* address, void** device) {
  unsigned domain = 0, bus = 0;
  if (sscanf(address, "%x:%x:", &domain, &bus) != 2 || bus < 1 || bus > settings().devices)
    return kNotFound;
  *device = handle_of(bus);
  return kSuccess;
}

int nvmlDeviceGetClockInfo(void*, unsigned clock, unsigned* mhz) {
  if (clock == kMemory) return answer(settings().memory_mhz, mhz);
  return answer(throttled() ? settings().throttled_mhz : settings().sm_mhz, mhz);
}
int nvmlDeviceGetMaxClockInfo(void*, unsigned clock, unsigned* mhz) {
  return answer(clock == kMemory ? settings().memory_max_mhz : settings().sm_max_mhz, mhz);
}
int nvmlDeviceGetTemperature(void*, unsigned, unsigned* celsius) {
  return answer(settings().temperature_c, celsius);
}
int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatt) {
  return answer(settings().power_w * 1000, milliwatt);
}
int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatt) {
  return answer(settings().power_limit_w * 1000, milliwatt);
}
int nvmlDeviceGetCurrPcieLinkGeneration(void*, unsigned* generation) {
  return answer(settings().link_gen, generation);
}
int nvmlDeviceGetCurrPcieLinkWidth(void*, unsigned* lanes) {
  return answer(settings().link_width, lanes);
}
int nvmlDeviceGetMaxPcieLinkGeneration(void*, unsigned* generation) {
  return answer(settings().link_max_gen, generation);
}
int nvmlDeviceGetMaxPcieLinkWidth(void*, unsigned* lanes) {
  return answer(settings().link_max_width, lanes);
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  if (settings().throttle < 0) return kNotSupported;
  *reasons = throttled() ? static_cast<unsigned long long>(settings().throttle) : 0;
  return kSuccess;
}
int nvmlDeviceGetUtilizationRates(void*, unsigned* rates) {
  const int result = answer(settings().busy_pct, rates);
  if (result == kSuccess) rates[1] = 0;
  return result;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, void* list) {
  const unsigned room = list == nullptr ? 0 : *count;
  const int result = answer(settings().processes, count);
  if (result != kSuccess) return result;
  return *count > room ? kTooSmall : kSuccess;
}
}
