// The helpers' life, for start, exit and fork only; jobs are registered through helper.h.
#pragma once

namespace gpustall::interpose {

bool start_helpers() noexcept;
// Asks for the last rounds and waits for them, at most 200 ms. No join.
void finish_helpers() noexcept;
// Before an exec, which may fail: what the device has handed over is written, waited for as above.
void hurry_helpers() noexcept;
// In a forked child: there is no helper and no job.
void forget_helpers() noexcept;

}  // namespace gpustall::interpose
