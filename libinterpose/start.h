// Steps of the start of recording that other files run: in a forked child the first event does what
// start_recording did in its parent.
#pragma once
#include "libinterpose/hook_guard.h"

namespace gpustall::interpose {

// First attach of a process and epoch: Info records, clocks, parts. Called without a guard, with
// the state freshly attached; does nothing when the process was announced or is still starting.
void announce_process(ThreadState* thread) noexcept;

// Info records: command line, environment that matters, machine. Never a secret.
void write_info(HookGuard&) noexcept;
// Modules that are new since the last call (all at the first).
void write_modules(HookGuard&) noexcept;
void write_clock(HookGuard&) noexcept;

// What the helper does each second, in a process that has none (a worker): clock pair, new modules,
// this thread's name. Called at the end of waits that are recorded; returns at once when not due.
void upkeep(HookGuard&, int64_t now) noexcept;

// Before an exec: writes what there is; the recording goes on where it fails.
void flush_recording() noexcept;
// The clean end, from the exit handler or before _exit.
void finish_recording() noexcept;

}  // namespace gpustall::interpose
