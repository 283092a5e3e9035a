// Thread records: kernel thread id, name, creator. Written by the helper for living threads (again
// when the name changes) and by a thread at its exit.
#pragma once
#include "libinterpose/hook_guard.h"

namespace gpustall::interpose {

void write_thread_record(HookGuard&, ThreadState& of) noexcept;
// By kernel thread id, for threads that never met a hook.
void write_thread_record(HookGuard&, uint32_t tid, int64_t start_ticks, ThreadState* of) noexcept;

// Periodic job: names, run states and CPU times of all threads (Thread and Sample records).
void observe_threads(HookGuard&, bool all) noexcept;

}  // namespace gpustall::interpose
