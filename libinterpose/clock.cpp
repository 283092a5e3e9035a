#include "libinterpose/clock.h"

#include <cpuid.h>

#include <cstring>

#include "libinterpose/sys.h"

namespace gpustall::interpose {

bool g_clock_is_tsc = false;

namespace {

int64_t g_first_tsc = 0, g_first_ns = 0;
double g_ticks_per_ns = 1.0;

// The TSC ticks at one rate in every power state and on every core, and the kernel thinks so too
// (it watches for firmware and hypervisors that break it).
bool tsc_is_trusted() noexcept {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(0x80000007, &a, &b, &c, &d) == 0 || (d & (1u << 8)) == 0) return false;
  char source[16];
  sys::read_file("/sys/devices/system/clocksource/clocksource0/current_clocksource", source,
                 sizeof source);
  return std::strncmp(source, "tsc", 3) == 0;
}

}  // namespace

void note_first_clock() noexcept {
  g_first_ns = read_clock_ns(CLOCK_MONOTONIC);
  g_first_tsc = static_cast<int64_t>(__rdtsc());
}

void choose_clock() noexcept {
  if (!tsc_is_trusted()) return;
  int64_t ns = 0, tsc = 0;
  do {  // at least 1 ms of baseline; nearly always long past
    ns = read_clock_ns(CLOCK_MONOTONIC);
    tsc = static_cast<int64_t>(__rdtsc());
  } while (ns - g_first_ns < 1000000);
  g_ticks_per_ns = static_cast<double>(tsc - g_first_tsc) / static_cast<double>(ns - g_first_ns);
  g_clock_is_tsc = true;
}

int64_t ticks_from_ns(int64_t ns) noexcept {
  return static_cast<int64_t>(static_cast<double>(ns) * g_ticks_per_ns);
}

ClockPair read_clock_pair() noexcept {
  ClockPair best{};
  int64_t best_width = INT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const int64_t before = now_ticks();
    const int64_t monotonic = read_clock_ns(CLOCK_MONOTONIC);
    const int64_t between = now_ticks();
    const int64_t realtime = read_clock_ns(CLOCK_REALTIME);
    const int64_t after = now_ticks();
    if (after - before >= best_width) continue;
    best_width = after - before;
    // `ticks` is the middle of the monotonic reading; the realtime is brought back to that moment.
    const auto later =
        static_cast<int64_t>(static_cast<double>((after - before) / 2) / g_ticks_per_ns);
    best = {before + (between - before) / 2, monotonic, realtime - later};
  }
  return best;
}

}  // namespace gpustall::interpose
