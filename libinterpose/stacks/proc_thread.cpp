// Parsers for a few files of /proc. All text is bounded and zero-terminated by read_file.
#include "libinterpose/stacks/proc_thread.h"

#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "libinterpose/clock.h"
#include "libinterpose/own_descriptors.h"
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

// The files of the threads that were read last, one place for each remainder of a thread id. Helper
// thread only.
struct ThreadFiles {
  uint32_t pid, tid;
  KeptFile stat, schedstat, children;
};
constexpr unsigned kMostKept = 256, kFilesEach = 3, kOtherFiles = 32;
ThreadFiles g_kept[kMostKept];
unsigned g_places = kMostKept;

void close_files(ThreadFiles& files) noexcept {
  files.stat.close();
  files.schedstat.close();
  files.children.close();
}

// A program may have few descriptors, or lower their number: the limit holds for each table.
void fit_limit() noexcept {
  rlimit limit;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  unsigned places = kMostKept;
  while (places != 0 && places * kFilesEach + kOtherFiles > limit.rlim_cur) places /= 2;
  if (places == g_places) return;
  for (ThreadFiles& files : g_kept) close_files(files);
  g_places = places;
}

ThreadFiles& files_of(uint32_t pid, uint32_t tid, ThreadFiles& none) noexcept {
  if (own_table() == 0) return none;
  if (g_places != 0) {
    ThreadFiles& there = g_kept[tid % g_places];
    if (there.pid == pid && there.tid == tid) return there;
  }
  fit_limit();
  if (g_places == 0) return none;
  ThreadFiles& files = g_kept[tid % g_places];
  close_files(files);
  files.pid = pid;
  files.tid = tid;
  return files;
}

size_t read_file_of(KeptFile ThreadFiles::*which, const char* name, uint32_t pid, uint32_t tid,
                    char* to, size_t capacity) noexcept {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%u/task/%u/%s", pid, tid, name);
  ThreadFiles none{};
  const size_t n = (files_of(pid, tid, none).*which).read(path, to, capacity);
  (none.*which).close();
  return n;
}

bool read_stat(uint32_t pid, uint32_t tid, ThreadTimes& times, ThreadName* name) noexcept {
  char text[512];
  if (read_file_of(&ThreadFiles::stat, "stat", pid, tid, text, sizeof text) == 0) return false;
  const char *from = std::strchr(text, '('), *at = std::strrchr(text, ')');
  if (from == nullptr || at == nullptr || at[1] != ' ') return false;  // a name may hold brackets
  if (name != nullptr) {
    const size_t n = static_cast<size_t>(at - from) - 1;
    name->length = n < sizeof name->text ? n : sizeof name->text;
    std::memcpy(name->text, from + 1, name->length);
  }
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

bool read_thread_times(uint32_t pid, uint32_t tid, ThreadTimes& times, ThreadName* name) noexcept {
  const ThreadTimes before = times;
  const int64_t now = read_clock_ns(CLOCK_MONOTONIC), elapsed = now - before.at_ns;
  if (before.at_ns != 0 && pid == sys::pid() && times.cpu_ns != 0 && times.unread < kMostUnread) {
    const uint64_t cpu = sys::thread_cpu_ns(tid);
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
  if (!read_stat(pid, tid, times, name)) return false;
  char text[96];
  if (read_file_of(&ThreadFiles::schedstat, "schedstat", pid, tid, text, sizeof text) != 0) {
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
  char text[2048];
  if (read_file_of(&ThreadFiles::children, "children", pid, tid, text, sizeof text) == 0) return 0;
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
