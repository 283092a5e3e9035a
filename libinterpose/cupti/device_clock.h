// DeviceClock records: CUPTI's clock against ours, so that the collector can lay device times onto
// host ticks piecewise. CUPTI's default clock is CLOCK_REALTIME, which steps: sample often, at
// least each second and with each buffer.
#pragma once
#include "libinterpose/hook_guard.h"

namespace gpustall::interpose::cupti {

// The tightest of five bracketed readings, into the calling thread's stream.
void sample_device_clock(HookGuard&) noexcept;

}  // namespace gpustall::interpose::cupti
