// Samples of the threads that launch work and of the main threads of worker processes: Python
// stack, run state, CPU and waiting time, major faults; who holds the GIL and whether the garbage
// collector runs. A periodic job of the helper thread that keeps itself below kShare of one core;
// it never stops a thread and sends no signal.
#pragma once
#include <cstdint>

#include "libinterpose/hook_guard.h"

namespace gpustall::interpose {

inline constexpr double kSamplerShare = 0.005;  // of one core, at most

// Registers the job. Null memory or a rate of 0: no sampler.
void start_sampler(HookGuard&) noexcept;
// Plain stores, from the atfork handler.
void forget_sampler() noexcept;

}  // namespace gpustall::interpose
