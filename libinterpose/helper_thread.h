// The helper's life, for start, exit and fork only; jobs are registered through helper.h.
#pragma once

namespace gpustall::interpose {

bool start_helper() noexcept;
// Asks for the last round and waits for it, at most 200 ms. No join.
void finish_helper() noexcept;
// In a forked child: there is no helper and no job.
void forget_helper() noexcept;

}  // namespace gpustall::interpose
