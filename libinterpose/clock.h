// Host time: ticks of the TSC where the CPU and the kernel both trust it, else CLOCK_MONOTONIC
// nanoseconds by vdso. FileHeader.clock_kind says which; Clock records map ticks to both kernel
// clocks. The choice is made before the first record and never changes in a process.
#pragma once
#include <time.h>
#include <x86intrin.h>

#include <cstdint>

#include "libinterpose/trace/format.h"

namespace gpustall::interpose {

extern bool g_clock_is_tsc;

inline int64_t read_clock_ns(clockid_t clock) noexcept {
  timespec t;
  clock_gettime(clock, &t);
  return int64_t{t.tv_sec} * 1000000000 + t.tv_nsec;
}

// 8 ns with the TSC, 19 ns without. Not serialising: a stamp may move by a few ns.
inline int64_t now_ticks() noexcept {
  if (g_clock_is_tsc) return static_cast<int64_t>(__rdtsc());
  return read_clock_ns(CLOCK_MONOTONIC);
}

// Duration of `ns` in ticks, for thresholds (error about 0.1 %); times in the trace stay in ticks.
int64_t ticks_from_ns(int64_t ns) noexcept;

struct ClockPair {
  int64_t ticks, monotonic_ns, realtime_ns;
};
// The tightest of a few bracketed readings.
ClockPair read_clock_pair() noexcept;

// Called by the constructor: first half of the calibration. No file is read here.
void note_first_clock() noexcept;
// Called once at the start of recording: decides the kind, finishes the calibration.
void choose_clock() noexcept;

}  // namespace gpustall::interpose
