// A small lock that waits by raw futex, so that an interposer of pthread never sees the device's
// inner locks. Not recursive, not fair, not robust against a holder that dies.
#pragma once
#include <linux/futex.h>

#include <atomic>
#include <cstdint>

#include "raw_syscall.h"

namespace simgpu {

class FutexLock {
 public:
  void lock() {
    uint32_t seen = 0;
    if (state_.compare_exchange_strong(seen, 1, std::memory_order_acquire)) return;
    for (int spin = 0; spin < 200; ++spin) {
      seen = 0;
      if (state_.compare_exchange_weak(seen, 1, std::memory_order_acquire)) return;
      __builtin_ia32_pause();
    }
    // 2 = locked, and somebody may sleep.
    while (state_.exchange(2, std::memory_order_acquire) != 0)
      raw_syscall(SYS_futex, raw_arg(&state_), FUTEX_WAIT_PRIVATE, 2);
  }
  void unlock() {
    if (state_.exchange(0, std::memory_order_release) == 2)
      raw_syscall(SYS_futex, raw_arg(&state_), FUTEX_WAKE_PRIVATE, 1);
  }

 private:
  std::atomic<uint32_t> state_{0};
};

class LockGuard {
 public:
  explicit LockGuard(FutexLock& lock) : lock_(lock) { lock_.lock(); }
  ~LockGuard() { lock_.unlock(); }
  LockGuard(const LockGuard&) = delete;
  LockGuard& operator=(const LockGuard&) = delete;

 private:
  FutexLock& lock_;
};

}  // namespace simgpu
