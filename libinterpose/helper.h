// The helper thread ("gpustall"): exists only in a process that records, all signals blocked. It
// runs a list of periodic jobs and, at exit, each job's last round. Jobs hold the helper's guard,
// must not block for long, and may use malloc only where the program cannot hold its lock across
// fork (so: not at all, please).
#pragma once
#include <cstdint>

#include "libinterpose/hook_guard.h"

namespace gpustall::interpose {

enum class Round : uint8_t { Periodic, Last };
using Job = void (*)(HookGuard&, Round) noexcept;

// Before or after the start of the thread; any thread. False when the list is full (16). The last
// round runs within the bounded flush at exit, in the order of registration.
bool add_periodic(Job job, int64_t period_ns) noexcept;
// The helper's kernel thread id, 0 when there is none.
uint32_t helper_tid() noexcept;

}  // namespace gpustall::interpose
