// Parsers for a few files of /proc. All text is bounded and zero-terminated by read_file.
#include "libinterpose/stacks/proc_thread.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "libinterpose/clock.h"
#include "libinterpose/sys.h"

namespace gpustall::interpose {
namespace {

constexpr unsigned kStatFields = 12;       // behind the state, up to stime
constexpr uint64_t kTicksPerSecond = 100;  // USER_HZ, on every Linux for x86 and Arm
constexpr uint8_t kMostUnread = 3;

trace::ThreadRunState state_of(char letter) noexcept {
  using trace::ThreadRunState;
  switch (letter) {
    case 'R':
      return ThreadRunState::Running;
    case 'S':
    case 'I':
      return ThreadRunState::Sleeping;
    case 'D':
      return ThreadRunState::DiskWait;
    case 'T':
    case 't':
      return ThreadRunState::Stopped;
    default:
      return ThreadRunState::Unknown;
  }
}

// The CPU clock of another thread of this process, as the kernel encodes it in a clock id; 0: none.
uint64_t thread_cpu_ns(uint32_t tid) noexcept {
  constexpr unsigned kPerThreadSched = 6;
  timespec t{};
  const auto clock = static_cast<clockid_t>(~tid << 3 | kPerThreadSched);
  if (clock_gettime(clock, &t) != 0) return 0;
  return static_cast<uint64_t>(t.tv_sec) * 1000000000 + static_cast<uint64_t>(t.tv_nsec);
}

bool read_stat(uint32_t pid, uint32_t tid, ThreadTimes& times) noexcept {
  char path[64], text[512];
  std::snprintf(path, sizeof path, "/proc/%u/task/%u/stat", pid, tid);
  if (sys::read_file(path, text, sizeof text) == 0) return false;
  const char* at = std::strrchr(text, ')');  // the name may hold anything, also brackets
  if (at == nullptr || at[1] != ' ') return false;
  at += 2;
  times.state = state_of(*at);
  times.ended = *at == 'Z' || *at == 'X';
  // From here on: state ppid pgrp session tty tpgid flags minflt cminflt majflt cmajflt utime stime
  uint64_t fields[kStatFields] = {};
  for (unsigned i = 0; i < kStatFields && (at = std::strchr(at + 1, ' ')) != nullptr; ++i)
    fields[i] = std::strtoull(at + 1, nullptr, 10);
  times.minor_faults = fields[6];
  times.major_faults = fields[8];
  times.system_ns = fields[11] * (1000000000 / kTicksPerSecond);
  return true;
}

// One line of /proc/PID/maps at a time, through a buffer that keeps the unfinished rest.
class MapsReader {
 public:
  explicit MapsReader(uint32_t pid) noexcept {
    char path[32];
    std::snprintf(path, sizeof path, "/proc/%u/maps", pid);
    fd_ = sys::open(path, O_RDONLY);
  }
  ~MapsReader() noexcept {
    if (fd_ >= 0) sys::close(fd_);
  }
  MapsReader(const MapsReader&) = delete;
  MapsReader& operator=(const MapsReader&) = delete;

  const char* next() noexcept {
    for (;;) {
      if (char* end = static_cast<char*>(std::memchr(buffer_ + at_, '\n', used_ - at_))) {
        *end = 0;
        const char* line = buffer_ + at_;
        at_ = static_cast<size_t>(end - buffer_) + 1;
        return line;
      }
      std::memmove(buffer_, buffer_ + at_, used_ - at_);
      used_ -= at_;
      at_ = 0;
      const long got = fd_ < 0 || used_ == sizeof buffer_
                           ? 0
                           : sys::read(fd_, buffer_ + used_, sizeof buffer_ - used_);
      if (got <= 0) return nullptr;
      used_ += static_cast<size_t>(got);
    }
  }

 private:
  int fd_;
  size_t at_ = 0, used_ = 0;
  char buffer_[8192];
};

struct Mapping {
  uintptr_t begin = 0, end = 0;
  unsigned device_major = 0, device_minor = 0;
  unsigned long inode = 0;

  bool parse(const char* line) noexcept {
    unsigned long b, e;
    if (std::sscanf(line, "%lx-%lx %*s %*x %x:%x %lu", &b, &e, &device_major, &device_minor,
                    &inode) != 5)
      return false;
    begin = b;
    end = e;
    return true;
  }
  bool same_file(const Mapping& o) const noexcept {
    return inode == o.inode && device_major == o.device_major && device_minor == o.device_minor;
  }
};

// The first mapping of the file that `wanted` is of.
bool first_of(uint32_t pid, const Mapping& wanted, uintptr_t& begin) noexcept {
  MapsReader maps(pid);
  Mapping m;
  while (const char* line = maps.next())
    if (m.parse(line) && m.same_file(wanted)) {
      begin = m.begin;
      return true;
    }
  return false;
}

}  // namespace

bool read_thread_times(uint32_t pid, uint32_t tid, ThreadTimes& times) noexcept {
  const ThreadTimes before = times;
  const int64_t now = read_clock_ns(CLOCK_MONOTONIC), elapsed = now - before.at_ns;
  if (before.at_ns != 0 && pid == sys::pid() && times.cpu_ns != 0 && times.unread < kMostUnread) {
    const uint64_t cpu = thread_cpu_ns(tid);
    if (cpu > before.cpu_ns && static_cast<int64_t>(cpu - before.cpu_ns) > elapsed / 20 * 19) {
      times.at_ns = now;
      times.cpu_ns = cpu;
      ++times.unread;
      times.state = trace::ThreadRunState::Running;
      return true;
    }
  }
  times = {};
  times.at_ns = now;
  if (!read_stat(pid, tid, times)) return false;
  char path[64], text[96];
  std::snprintf(path, sizeof path, "/proc/%u/task/%u/schedstat", pid, tid);
  if (sys::read_file(path, text, sizeof text) != 0) {
    char* rest = nullptr;
    times.cpu_ns = std::strtoull(text, &rest, 10);
    times.runnable_ns = std::strtoull(rest, nullptr, 10);
  }
  // 'R' is said of running and of waiting for a CPU alike.
  if (times.state == trace::ThreadRunState::Running && before.at_ns != 0 &&
      static_cast<int64_t>(times.runnable_ns - before.runnable_ns) > elapsed / 2)
    times.state = trace::ThreadRunState::Runnable;
  return true;
}

unsigned read_children(uint32_t pid, uint32_t tid, uint32_t* pids, unsigned capacity) noexcept {
  char path[64], text[2048];
  std::snprintf(path, sizeof path, "/proc/%u/task/%u/children", pid, tid);
  if (sys::read_file(path, text, sizeof text) == 0) return 0;
  unsigned count = 0;
  char* at = text;
  while (count < capacity) {
    char* end = at;
    const unsigned long child = std::strtoul(at, &end, 10);
    if (end == at || *end != ' ') break;  // each is followed by a blank, a cut one is not
    pids[count++] = static_cast<uint32_t>(child);
    at = end + 1;
  }
  return count;
}

bool find_move(uint32_t pid, uintptr_t address, int64_t& moved) noexcept {
  MapsReader own(sys::pid());
  Mapping m;
  bool found = false;
  while (const char* line = own.next())
    if ((found = m.parse(line) && address >= m.begin && address < m.end)) break;
  uintptr_t here = 0, there = 0;
  if (!found || m.inode == 0 || !first_of(sys::pid(), m, here) || !first_of(pid, m, there))
    return false;
  moved = static_cast<int64_t>(there - here);
  return true;
}

}  // namespace gpustall::interpose
