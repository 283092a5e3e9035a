// Who narrows the set of CPUs that the program may use: imports and launchers do, and the loader's
// workers inherit it. Remembered from the start of the process, said once it records.
#pragma once
#include "libinterpose/hook_guard.h"

namespace gpustall::interpose {

// Of the calling thread; 0: not known.
int allowed_cpus() noexcept;
// At load, before any import: what the process started with.
void remember_cpus() noexcept;
// A call of sched_setaffinity from `caller` for the calling thread has succeeded.
void note_affinity(int before, const void* caller) noexcept;
// Info "cpu.at_start", and "cpu.narrowed": "8 to 1 by /path/of/library.so".
void write_affinity(HookGuard&) noexcept;

}  // namespace gpustall::interpose
