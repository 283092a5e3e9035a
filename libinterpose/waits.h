// Waits in libc: begin_wait before the original, end_wait after it. Between the two no guard is
// held. Short waits are counted, longer ones recorded, long ones have stacks and their object.
#pragma once
#include <poll.h>
#include <sys/select.h>

#include <cstdint>

#include "libinterpose/clock.h"
#include "libinterpose/fork.h"
#include "libinterpose/hook_guard.h"
#include "libinterpose/trace/names.h"

namespace gpustall::interpose {

// What a wait was for: a descriptor (looked at only after a long wait) or an address.
struct WaitObject {
  trace::ObjectKind kind;  // File: `identity` is a descriptor of any kind
  uint64_t identity;
};
inline WaitObject on_nothing() noexcept {
  return {trace::ObjectKind::Unknown, 0};
}
inline WaitObject on_fd(int fd) noexcept {
  return {trace::ObjectKind::File, static_cast<uint64_t>(fd)};
}
inline WaitObject on_semaphore(const void* at) noexcept {
  return {trace::ObjectKind::Semaphore, reinterpret_cast<uint64_t>(at)};
}
inline WaitObject on_condition(const void* at) noexcept {
  return {trace::ObjectKind::Condition, reinterpret_cast<uint64_t>(at)};
}
// The first ready descriptor, else the first one waited for.
WaitObject on_poll(const pollfd* fds, uint64_t n) noexcept;
WaitObject on_select(int n, const fd_set* in) noexcept;

// A worker that was started before its parent recorded joins at its next hook.
bool join_parent() noexcept;

inline int64_t begin_wait() noexcept {
  if (is_recording()) {
    if (ThreadState* thread = tls_thread; thread != nullptr)
      thread->in_event.store(true, std::memory_order_relaxed);
    return now_ticks();
  }
  if (state() == State::Uninitialized &&
      g_parent_flag->recording.load(std::memory_order_relaxed) != SharedFlag::kNo) [[unlikely]]
    return join_parent() ? now_ticks() : 0;
  return 0;
}
void record_wait(int64_t start, trace::WaitId wait, WaitObject object, int64_t result) noexcept;

// With its stack, however short. `cpus`: what the calling thread may use now; -1: refused.
void record_affinity(int64_t start, int cpus) noexcept;

// In ticks, set at the start of recording.
void set_wait_thresholds() noexcept;
// Counts held back by this thread, as ShortWaits records of its stream.
void flush_short_waits(HookGuard&) noexcept;
// At exit: those of all threads together, in the shared stream.
void flush_all_short_waits(HookGuard&) noexcept;

// Object id of a descriptor, interned with its path.
uint32_t object_of_fd(HookGuard&, int fd) noexcept;
// The interpreter's own condition variables are its lock (GIL).
void find_gil() noexcept;
bool is_gil(uint64_t address) noexcept;

}  // namespace gpustall::interpose
