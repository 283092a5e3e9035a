#include "libinterpose/thread_record.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "libinterpose/creators.h"
#include "libinterpose/dictionary.h"
#include "libinterpose/recorder.h"
#include "libinterpose/stacks/proc_thread.h"
#include "libinterpose/sys.h"

namespace gpustall::interpose {

namespace {

size_t read_task_file(uint32_t tid, const char* file, char* to, size_t capacity) noexcept {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%u/%s", tid, file);
  return sys::read_file(path, to, capacity);
}

// What was last said of a thread: said again when the name changes or the creator becomes known (it
// is noted after the thread exists). A collision of two tids says the same again: harmless.
struct Said {
  uint32_t tid, name, creator;
};
Said g_said[4096];

void sample_thread(HookGuard& guard, uint32_t tid) noexcept {
  ThreadTimes times{};
  if (!read_thread_times(sys::pid(), tid, times)) return;  // it ended meanwhile
  trace::Sample s{};
  s.time = now_ticks();
  s.tid = tid;
  s.pid = sys::pid();
  set_times(s, times);
  emit(guard, s);
}

ThreadState* state_of(uint32_t tid) noexcept {
  for (ThreadState* t = first_thread(); t != nullptr; t = t->next)
    if (t->tid.load(std::memory_order_relaxed) == tid) return t;
  return nullptr;
}

struct DirectoryEntry {
  uint64_t inode;
  int64_t offset;
  uint16_t length;
  uint8_t type;
  char name[];
};

void observe_all(HookGuard& guard) noexcept {
  const int fd = sys::open("/proc/self/task", O_RDONLY | O_DIRECTORY);
  if (fd < 0) return;
  alignas(8) char buffer[4096];
  for (;;) {
    const long n = ::syscall(SYS_getdents64, fd, buffer, sizeof buffer);
    if (n <= 0) break;
    for (long at = 0; at < n;) {
      const auto* entry = reinterpret_cast<const DirectoryEntry*>(buffer + at);
      at += entry->length;
      const auto tid = static_cast<uint32_t>(std::strtoul(entry->name, nullptr, 10));
      if (tid == 0) continue;
      write_thread_record(guard, tid, 0, state_of(tid));
      sample_thread(guard, tid);
    }
  }
  sys::close(fd);
}

}  // namespace

void write_thread_record(HookGuard& guard, uint32_t tid, int64_t start_ticks,
                         ThreadState* of) noexcept {
  char name[32];
  size_t n = read_task_file(tid, "comm", name, sizeof name);
  if (n != 0 && name[n - 1] == '\n') --n;
  const uint32_t id = intern_string(guard, {name, n});
  const Creator creator = of != nullptr ? find_creator(of->pthread) : Creator{};
  Said& said = g_said[tid % 4096];
  if (said.tid == tid && said.name == id && said.creator == creator.tid) return;
  said = {tid, id, creator.tid};
  trace::Thread record{};
  record.start = start_ticks != 0 ? start_ticks : of != nullptr ? of->start_ticks : now_ticks();
  record.tid = tid;
  record.name = id;
  record.creator_tid = creator.tid;
  record.creator_stack = creator.stack;
  emit(guard, record);
}

void write_thread_record(HookGuard& guard, ThreadState& of) noexcept {
  write_thread_record(guard, of.tid.load(std::memory_order_relaxed), of.start_ticks, &of);
}

void observe_threads(HookGuard& guard, bool all) noexcept {
  if (!is_recording()) return;
  if (all) return observe_all(guard);
  // Between full rounds only threads that wrote something since the last look.
  for (ThreadState* t = first_thread(); t != nullptr; t = t->next) {
    const uint32_t tid = t->tid.load(std::memory_order_relaxed);
    const uint8_t* at = __atomic_load_n(&t->stream.at, __ATOMIC_RELAXED);
    if (tid == 0 || t->inert || at == t->seen_at) continue;
    t->seen_at = at;
    sample_thread(guard, tid);
  }
}

}  // namespace gpustall::interpose
