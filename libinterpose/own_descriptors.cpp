#include "libinterpose/own_descriptors.h"

#include <sched.h>
#include <sys/stat.h>

#include <cstdio>

#include "libinterpose/numbered_entries.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif

namespace gpustall::interpose {

namespace {

constexpr unsigned kUnshare = 2;  // CLOSE_RANGE_UNSHARE

long close_range(unsigned first, unsigned last, unsigned flags) noexcept {
  return ::syscall(SYS_close_range, first, last, flags);
}

// What was copied from the program's table is closed without delay: the other end of a pipe waits
// for that. Numbers come in ascending order, so closing does not disturb the listing.
void close_all_but(int kept) noexcept {
  char path[48];
  std::snprintf(path, sizeof path, "/proc/self/task/%u/fd", sys::tid());
  each_number_in(path, [kept](uint32_t number, int folder) {
    const int fd = static_cast<int>(number);
    if (fd != kept && fd != folder) sys::close(fd);
  });
}

}  // namespace

bool leave_descriptors(int kept) noexcept {
  if (kept < 3) return false;
  const auto number = static_cast<unsigned>(kept);
  if (close_range(number + 1, ~0u, kUnshare) == 0) return close_range(0, number - 1, 0) == 0;
  // Linux before 5.9, or a filter of system calls that does not know the newer one.
  struct stat there;
  if (::stat("/proc/self/task", &there) != 0 || ::syscall(SYS_unshare, CLONE_FILES) != 0)
    return false;
  close_all_but(kept);
  return true;
}

}  // namespace gpustall::interpose
