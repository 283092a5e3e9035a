// The device clock is the host's CLOCK_MONOTONIC; waits are raw system calls.
#include "host_clock.h"

#include <time.h>

#include "api_scope.h"
#include "raw_syscall.h"

namespace simgpu {
namespace {

// Timer slack is 50 us by default, and a virtual machine adds its own: wake early by this much,
// then spin.
constexpr int64_t kSpinWindowNs = 90'000;

}  // namespace

GPUSTALL_SIM_API int64_t now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);  // answered by the vDSO; nobody interposes it
  return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
}

void spin_until(int64_t when_ns) {
  while (now_ns() < when_ns) __builtin_ia32_pause();
}

void wait_until(int64_t when_ns) {
  const int64_t target = when_ns - kSpinWindowNs;
  if (target > now_ns()) {
    const timespec until{target / 1'000'000'000, target % 1'000'000'000};
    // A signal ends the sleep early: its handler has run by then, so sleep on.
    while (raw_syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, raw_arg(&until)) == -4)
      continue;
  }
  spin_until(when_ns);
}

}  // namespace simgpu
