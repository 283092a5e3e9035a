// The worker processes of this one: forked or spawned Pythons whose main threads the sampler reads,
// since forked children have no helper thread of their own. Helper thread only, except
// stacks::child_started (seams.h).
#pragma once
#include <cstdint>

#include "libinterpose/stacks/guarded_walk.h"
#include "libinterpose/stacks/proc_thread.h"

namespace gpustall::interpose {

struct Worker {
  uint32_t pid;  // 0: a free slot
  bool readable;
  uint8_t failures;       // probes, or walks in a row, that failed
  int64_t next_probe_ns;  // CLOCK_MONOTONIC
  PythonLayout layout;    // with the addresses of that process
  uintptr_t interpreter;  // its PyInterpreterState
  ThreadTimes times;      // of its main thread
  GuardedThread main;
};

class Workers {
 public:
  static constexpr unsigned kMax = 64;

  // A child that may be a worker.
  void add(uint32_t pid) noexcept;
  // Adds the children that the kernel lists for this process's threads and for its workers, and
  // forgets those that ended.
  void discover() noexcept;
  // The next one that can be walked, in turn; null when there is none now. Looks for the
  // interpreter of new ones; a child without one is left alone after a few tries.
  Worker* next(const PythonLayout& layout, MemoryView& view, int64_t now_ns) noexcept;
  // Says how the walk of a worker went; after three failures its interpreter is looked for again.
  static void walked(Worker& worker, bool good) noexcept;
  // errno when the kernel forbids to read a worker, 0: none did.
  int refusal() const noexcept { return refusal_; }
  // What looking for interpreters has cost: a few milliseconds, once for each child.
  int64_t probe_cpu_ns() const noexcept { return probe_cpu_ns_; }

 private:
  unsigned turn_;
  int refusal_;
  int64_t probe_cpu_ns_;
  Worker workers_[kMax];

  bool find_interpreter(const PythonLayout& here, MemoryView& view, Worker& worker) noexcept;
};

// One word or one string of another process or thread; false when it is not readable.
template <class T>
bool read_at(GuardedMemory& memory, uintptr_t address, T& out) noexcept {
  return memory.read(address, &out, sizeof out) == sizeof out;
}

}  // namespace gpustall::interpose
