#include "libinterpose/thread_record.h"

#include <sys/prctl.h>

#include <string_view>

#include "libinterpose/creators.h"
#include "libinterpose/dictionary.h"
#include "libinterpose/numbered_entries.h"
#include "libinterpose/recorder.h"
#include "libinterpose/stacks/proc_thread.h"
#include "libinterpose/sys.h"

namespace gpustall::interpose {

namespace {

// What was last said of a thread: said again when the name changes or the creator becomes known (it
// is noted after the thread exists). A collision of two tids says the same again: harmless.
struct Said {
  uint32_t tid, name, creator;
};
Said g_said[4096];

void write_sample(HookGuard& guard, uint32_t tid, const ThreadTimes& times) noexcept {
  trace::Sample s{};
  s.time = now_ticks();
  s.tid = tid;
  s.pid = sys::pid();
  set_times(s, times);
  emit(guard, s);
}

void write_thread(HookGuard& guard, uint32_t tid, std::string_view name,
                  const ThreadState* of) noexcept {
  const uint32_t id = intern_string(guard, name);
  const Creator creator = of != nullptr ? find_creator(of->pthread) : Creator{};
  Said& said = g_said[tid % 4096];
  if (said.tid == tid && said.name == id && said.creator == creator.tid) return;
  said = {tid, id, creator.tid};
  trace::Thread record{};
  record.start = of != nullptr ? of->start_ticks : now_ticks();
  record.tid = tid;
  record.name = id;
  record.creator_tid = creator.tid;
  record.creator_stack = creator.stack;
  emit(guard, record);
}

ThreadState* state_of(uint32_t tid) noexcept {
  for (ThreadState* t = first_thread(); t != nullptr; t = t->next)
    if (t->tid.load(std::memory_order_relaxed) == tid) return t;
  return nullptr;
}

// Threads that never met a hook are among them.
void observe_all(HookGuard& guard) noexcept {
  each_number_in("/proc/self/task", [&guard](uint32_t tid, int) {
    ThreadTimes times{};
    ThreadName name;
    if (!read_thread_times(sys::pid(), tid, times, &name)) return;  // it ended meanwhile
    write_thread(guard, tid, {name.text, name.length}, state_of(tid));
    write_sample(guard, tid, times);
  });
}

}  // namespace

// Asked without opening a file: this is the program's thread.
void write_thread_record(HookGuard& guard) noexcept {
  char name[17] = {};
  ::prctl(PR_GET_NAME, name);
  const ThreadState& thread = guard.thread();
  write_thread(guard, thread.tid.load(std::memory_order_relaxed), name, &thread);
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
    ThreadTimes times{};
    if (read_thread_times(sys::pid(), tid, times)) write_sample(guard, tid, times);
  }
}

}  // namespace gpustall::interpose
