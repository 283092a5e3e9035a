// What the kernel says about a thread: /proc/PID/task/TID/stat and schedstat. Helper thread only;
// about 5 us for both where it has descriptors of its own and keeps the files open, 20 us where it
// opens them each time.
#pragma once
#include <cstdint>

#include "libinterpose/trace/records.h"

namespace gpustall::interpose {

struct ThreadTimes {
  int64_t at_ns;  // CLOCK_MONOTONIC of the reading
  trace::ThreadRunState state;
  uint64_t cpu_ns, runnable_ns;  // cumulative; 0 where the kernel has no schedstat
  uint64_t major_faults, minor_faults, system_ns;  // cumulative
  uint8_t unread;                                  // readings in a row without a look at its files
  bool ended;                                      // a zombie
};

struct ThreadName {
  size_t length;
  char text[64];
};

// Replaces an earlier reading (all zero: none). False: there is no such thread any more. A thread
// of this process that used the CPU all the time since then is Running without a look at its files,
// in which case only cpu_ns is new.
// `name`: asked for with an earlier reading of all zeros only.
bool read_thread_times(uint32_t pid, uint32_t tid, ThreadTimes& times,
                       ThreadName* name = nullptr) noexcept;

inline void set_times(trace::Sample& sample, const ThreadTimes& times) noexcept {
  sample.state = static_cast<uint64_t>(times.state);
  sample.cpu_ns = times.cpu_ns;
  sample.runnable_ns = times.runnable_ns;
  sample.major_faults = times.major_faults;
  sample.minor_faults = times.minor_faults;
  sample.system_ns = times.system_ns;
}

// The child processes that a thread started, where the kernel lists them (CONFIG_PROC_CHILDREN);
// how many were stored.
unsigned read_children(uint32_t pid, uint32_t tid, uint32_t* pids, unsigned capacity) noexcept;

// How far the file that is mapped at `address` here lies away in another process that runs the same
// interpreter; false when it does not map that file.
bool find_move(uint32_t pid, uintptr_t address, int64_t& moved) noexcept;

}  // namespace gpustall::interpose
