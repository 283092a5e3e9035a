// The recording window: by time (delay, duration), by cudaProfilerStart/Stop, or opened and closed
// by another part (NVTX ranges). Outside it the hooks pass through; clocks, modules and late device
// buffers are still written, so that the window's records can be read.
#pragma once
#include <string_view>

#include "libinterpose/hook_guard.h"

namespace gpustall::interpose {

// At the start of recording: open unless the settings say otherwise.
void start_window(HookGuard&) noexcept;
void open_window() noexcept;
void close_window() noexcept;
// In a forked child, which has no helper to watch the time: open unless it is over; end_by_time
// closes it at the next wait.
void enter_child_window() noexcept;
bool end_by_time(int64_t now) noexcept;
// A range of this name is the window (GPUSTALL_RANGE=nvtx:NAME): NVTX opens and closes it.
bool is_window_range(std::string_view name) noexcept;
// For the hooks and callbacks of cudaProfilerStart and -Stop; no-ops unless GPUSTALL_RANGE asks.
void profiler_range(bool begins) noexcept;

}  // namespace gpustall::interpose
