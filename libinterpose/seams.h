// What the core calls in the other two parts of the library; stacks/ and cupti/ define these.
#pragma once
#include <cstdint>

#include "libinterpose/hook_guard.h"

namespace gpustall::interpose {

namespace stacks {
// At the start of recording (also in a forked child's first event); may register periodic jobs.
void start(HookGuard&) noexcept;
// Id of the calling thread's Python stack (innermost frame), 0 when there is none.
uint32_t python_stack(HookGuard&) noexcept;
uint32_t native_stack(HookGuard&) noexcept;
// In the child of fork, from the atfork handler: plain stores only.
void fork_child() noexcept;
// In the parent, after fork: a child that may become a worker. One atomic store.
void child_started(uint32_t pid) noexcept;
// CPU time that the sampler has used so far. Its thread only.
uint64_t sampler_cpu_ns() noexcept;
}  // namespace stacks

namespace cupti {
void start(HookGuard&) noexcept;
// False in a forked child of a process that used CUPTI: CUDA is of no use there.
bool usable() noexcept;
// True while CUPTI's callbacks record API calls: the PLT hooks only pass through then.
bool active() noexcept;
void fork_child() noexcept;
}  // namespace cupti

}  // namespace gpustall::interpose
