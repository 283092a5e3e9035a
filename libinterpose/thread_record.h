// Thread records: kernel thread id, name, creator. Written by the helper for living threads (again
// when the name changes) and by a thread of itself, at its exit among others.
#pragma once
#include "libinterpose/hook_guard.h"

namespace gpustall::interpose {

// Of the calling thread.
void write_thread_record(HookGuard&) noexcept;

// Periodic job: names, run states and CPU times of all threads (Thread and Sample records).
void observe_threads(HookGuard&, bool all) noexcept;

}  // namespace gpustall::interpose
