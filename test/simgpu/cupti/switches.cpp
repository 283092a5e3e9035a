// See switches.h. Switches whose records are not modelled are accepted only when they ask for
// nothing.
#include "switches.h"

#include <atomic>

#include "clock.h"
#include "entry.h"
#include "worker.h"

namespace simgpu::cupti {
namespace {

std::atomic<bool> g_latency{false};

// Accepts "off", which is what there is; refuses "on".
CUptiResult only_off(uint8_t enable) {
  return leave(enable == 0 ? CUPTI_SUCCESS : CUPTI_ERROR_NOT_SUPPORTED);
}

}  // namespace

bool latency_timestamps() {
  return g_latency.load(std::memory_order_relaxed);
}

void reset_switches() {
  g_latency = false;
  record_clock().set_callback(nullptr);
  if (worker().started()) worker().set_period_ms(0);
}

}  // namespace simgpu::cupti

using namespace simgpu::cupti;

CUptiResult cuptiActivityEnableLatencyTimestamps(uint8_t enable) {
  GPUSTALL_CUPTI_GATE();
  g_latency = enable != 0;
  return leave(CUPTI_SUCCESS);
}

// Every wait is announced by the model, also those that find the work done: nothing to switch.
CUptiResult cuptiActivityEnableAllSyncRecords(uint8_t) {
  GPUSTALL_CUPTI_GATE();
  return leave(CUPTI_SUCCESS);
}

// Matters for CUDA_EVENT records only, which are refused when they are enabled.
CUptiResult cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t) {
  GPUSTALL_CUPTI_GATE();
  return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiActivityEnableLaunchAttributes(uint8_t enable) {
  GPUSTALL_CUPTI_GATE();
  return only_off(enable);
}

CUptiResult cuptiActivityEnableDeviceGraph(uint8_t enable) {
  GPUSTALL_CUPTI_GATE();
  return only_off(enable);
}

CUptiResult cuptiActivityEnableAllocationSource(uint8_t enable) {
  GPUSTALL_CUPTI_GATE();
  return only_off(enable);
}

// Needs Blackwell hardware; the modelled device is not one.
CUptiResult cuptiActivityEnableHWTrace(uint8_t) {
  GPUSTALL_CUPTI_GATE();
  return leave(CUPTI_ERROR_NOT_SUPPORTED);
}

CUptiResult cuptiActivityFlushPeriod(uint32_t ms) {
  GPUSTALL_CUPTI_GATE();
  worker().set_period_ms(ms);
  return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiGetTimestamp(uint64_t* timestamp) {
  if (timestamp == nullptr) return leave(CUPTI_ERROR_INVALID_PARAMETER);
  *timestamp = record_clock().now();
  return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc callback) {
  GPUSTALL_CUPTI_GATE();
  if (callback == nullptr) return leave(CUPTI_ERROR_INVALID_PARAMETER);
  record_clock().set_callback(callback);
  return leave(CUPTI_SUCCESS);
}
