// The mutable state of one recording process, in memory that fork wipes: a forked child finds zeros
// and begins its own. Plain atomics and a spin lock with bounded, short sections.
#pragma once
#include <sched.h>

#include <atomic>
#include <cstdint>

#include "libinterpose/thread_state.h"
#include "libinterpose/trace_file.h"

namespace gpustall::interpose {

// Held for short copies only, never across a system call that may block; a signal handler that
// interrupts the holder cannot take it (its hooks see the holder's guard).
class SpinLock {
 public:
  void lock() noexcept {
    while (held_.exchange(1, std::memory_order_acquire) != 0) sched_yield();
  }
  bool try_lock() noexcept { return held_.exchange(1, std::memory_order_acquire) == 0; }
  void unlock() noexcept { held_.store(0, std::memory_order_release); }

 private:
  std::atomic<uint32_t> held_;
};

struct Process {
  std::atomic<uint32_t> pid;    // 0: a forked child that has not begun its epoch
  std::atomic<bool> announced;  // Info records were written for this file
  std::atomic<bool> cuda_started;
  SpinLock threads_lock;
  std::atomic<ThreadState*> threads;
  SpinLock shared_lock;
  ChunkStream shared;
  TraceFile file;
  std::atomic<int64_t> next_upkeep_ticks, next_drain_ticks;  // where no helper thread does it
  std::atomic<bool> modules_busy;
  uint64_t modules_adds, modules_subs;  // the loader's counters at the last write_modules
  std::atomic<uint64_t> pending_losses[static_cast<size_t>(trace::LossKind::Count)];
};

// Null when the constructor found no memory: then nothing ever records.
extern Process* g_process;

}  // namespace gpustall::interpose
