// The helper threads, only in a process that records, all signals blocked. Each runs a list of
// periodic jobs and, at exit, each job's last round. Jobs hold their helper's guard, must not block
// for long, and may use malloc only where the program cannot hold its lock across fork (so: not at
// all, please).
//
// "gpustall-trace" writes the file and reads /proc, with a table of descriptors of its own where
// the kernel allows it (own_descriptors.h). "gpustall" calls CUPTI, the driver and NVML, whose
// descriptors are the program's, and is the last to end.
#pragma once
#include <cstdint>

#include "libinterpose/hook_guard.h"

namespace gpustall::interpose {

// Now: what is at hand is to be written, since the process may end without a last round.
enum class Round : uint8_t { Periodic, Now, Last };
using Job = void (*)(HookGuard&, Round) noexcept;

// Before or after the start of the thread; any thread. False when the list is full (16). The last
// round runs within the bounded flush at exit, in the order of registration.
bool add_periodic(Job job, int64_t period_ns) noexcept;
// The same for a job that calls CUPTI, the driver or NVML.
bool add_device_job(Job job, int64_t period_ns) noexcept;
// The kernel thread id of the one that writes the file, 0 when there is none.
uint32_t helper_tid() noexcept;
// CPU time of both.
uint64_t helper_cpu_ns() noexcept;

}  // namespace gpustall::interpose
