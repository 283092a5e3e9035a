// The CPU quota of the control group that the process runs in (Docker, Kubernetes, SLURM, systemd):
// its limit as an Info record, and while there is one the time for which it stopped the group's
// threads, as Counter records. cgroup v1 and v2; the nearest group with a limit.
#pragma once
#include "libinterpose/hook_guard.h"

namespace gpustall::interpose {

// "quota period", microseconds. Nothing without a limit.
void write_quota(HookGuard&) noexcept;
// Watches the limit that write_quota found, from the helper thread.
void start_quota_watch(HookGuard&) noexcept;

}  // namespace gpustall::interpose
