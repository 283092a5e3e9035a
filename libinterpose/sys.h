// Raw system calls for our own use: they pass neither our own hooks nor libc's cancellation points.
#pragma once
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <ctime>

namespace gpustall::interpose::sys {

inline uint32_t tid() noexcept {
  return static_cast<uint32_t>(::syscall(SYS_gettid));
}
inline uint32_t pid() noexcept {
  return static_cast<uint32_t>(::syscall(SYS_getpid));
}
inline int open(const char* path, int flags, int mode = 0) noexcept {
  return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode));
}
inline long read(int fd, void* to, size_t n) noexcept {
  return ::syscall(SYS_read, fd, to, n);
}
inline long pread(int fd, void* to, size_t n, int64_t at) noexcept {
  return ::syscall(SYS_pread64, fd, to, n, at);
}
inline long write(int fd, const void* from, size_t n) noexcept {
  return ::syscall(SYS_write, fd, from, n);
}
inline long pwrite(int fd, const void* from, size_t n, int64_t at) noexcept {
  return ::syscall(SYS_pwrite64, fd, from, n, at);
}
inline void close(int fd) noexcept {
  ::syscall(SYS_close, fd);
}

// The CPU clock of another thread of this process, as the kernel encodes it in a clock id; 0: none.
inline uint64_t thread_cpu_ns(uint32_t tid) noexcept {
  constexpr unsigned kPerThreadSched = 6;
  timespec t{};
  const auto clock = static_cast<clockid_t>(~tid << 3 | kPerThreadSched);
  if (::clock_gettime(clock, &t) != 0) return 0;
  return static_cast<uint64_t>(t.tv_sec) * 1000000000 + static_cast<uint64_t>(t.tv_nsec);
}

inline void sleep_ns(int64_t ns) noexcept {
  timespec t{ns / 1000000000, ns % 1000000000};
  ::syscall(SYS_nanosleep, &t, nullptr);
}

// Sleeps until *word != expected, a wake, or the time; a private futex.
inline void futex_wait(const void* word, uint32_t expected, int64_t timeout_ns) noexcept {
  timespec t{timeout_ns / 1000000000, timeout_ns % 1000000000};
  ::syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, &t, nullptr, 0);
}
inline void futex_wake(const void* word) noexcept {
  ::syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 0x7fffffff, nullptr, nullptr, 0);
}

// The start of a small (proc) file as text; its length, 0 on failure.
inline size_t read_file(const char* path, char* to, size_t capacity) noexcept {
  const int fd = open(path, O_RDONLY);
  if (fd < 0) return 0;
  size_t n = 0;
  while (n + 1 < capacity) {
    const long got = read(fd, to + n, capacity - 1 - n);
    if (got <= 0) break;
    n += static_cast<size_t>(got);
  }
  close(fd);
  to[n] = '\0';
  return n;
}

}  // namespace gpustall::interpose::sys
