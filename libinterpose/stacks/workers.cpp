// Finding the interpreter of a child process. A forked one has it where we have it; in one that ran
// exec it is moved by the difference of the two mappings of the same file.
#include "libinterpose/stacks/workers.h"

#include <cstring>

#include "libinterpose/clock.h"
#include "libinterpose/stacks/proc_thread.h"
#include "libinterpose/sys.h"
#include "libinterpose/thread_state.h"

namespace gpustall::interpose {
namespace {

constexpr uint8_t kMaxProbes = 6;  // 0.2 s apart, then doubling: the last after 12 s

// Whether PyCode_Type lies there: its name is a pointer to "code" inside the same image.
bool is_code_type(GuardedMemory& memory, uintptr_t address) noexcept {
  constexpr unsigned kTpName = 24;
  uintptr_t name = 0;
  char text[5] = {};
  return read_at(memory, address + kTpName, name) && read_at(memory, name, text) &&
         std::memcmp(text, "code", 5) == 0;
}

// The interpreter's oldest thread state is its main thread's: new ones are put at the front.
uintptr_t main_thread_state(GuardedMemory& memory, const PythonLayout& l,
                            uintptr_t interpreter) noexcept {
  uintptr_t state = 0, next = 0;
  if (!read_at(memory, interpreter + l.interp_threads, state)) return 0;
  for (int i = 0; i < 256 && state != 0; ++i) {
    if (!read_at(memory, state + l.tstate_next, next)) return 0;
    if (next == 0) return state;
    state = next;
  }
  return 0;
}

}  // namespace

void Workers::add(uint32_t pid) noexcept {
  Worker* free = nullptr;
  for (Worker& w : workers_) {
    if (w.pid == pid) return;
    if (w.pid == 0 && free == nullptr) free = &w;
  }
  if (free == nullptr || pid == 0) return;
  *free = {};
  free->pid = pid;
}

void Workers::discover() noexcept {
  for (Worker& w : workers_) {
    if (w.pid != 0 && (!read_thread_times(w.pid, w.pid, w.times) || w.times.ended)) w.pid = 0;
  }
  uint32_t pids[kMax];
  const auto add_children = [&](uint32_t pid, uint32_t tid) {
    const unsigned n = read_children(pid, tid, pids, kMax);
    for (unsigned i = 0; i < n; ++i) add(pids[i]);
  };
  const uint32_t self = sys::pid();
  add_children(self, self);
  for (ThreadState* t = first_thread(); t != nullptr; t = t->next) {
    const uint32_t tid = t->tid.load(std::memory_order_relaxed);
    if (tid != 0 && tid != self) add_children(self, tid);
  }
  for (unsigned i = 0; i < kMax; ++i)  // a fork server's children
    if (workers_[i].pid != 0 && workers_[i].readable)
      add_children(workers_[i].pid, workers_[i].pid);
}

bool Workers::find_interpreter(const PythonLayout& here, MemoryView& view, Worker& w) noexcept {
  GuardedMemory memory;
  memory.open(static_cast<pid_t>(w.pid));
  int64_t moved = 0;
  bool found = is_code_type(memory, here.code_type);
  if (memory.refusal() != 0) refusal_ = memory.refusal();
  // One that ran exec without this library is not part of the recording.
  const auto ours = reinterpret_cast<uintptr_t>(&first_thread);
  if (!found && memory.refusal() == 0 && !memory.gone())
    found = find_move(w.pid, ours, moved) && find_move(w.pid, here.code_type, moved) &&
            is_code_type(memory, here.code_type + static_cast<uintptr_t>(moved));
  w.layout = here;
  w.layout.code_type += static_cast<uintptr_t>(moved);
  w.layout.runtime += static_cast<uintptr_t>(moved);
  w.main.tstate = 0;
  if (found && read_at(memory, w.layout.runtime + here.runtime_head, w.interpreter))
    w.main.tstate = main_thread_state(memory, w.layout, w.interpreter);
  bool good = w.main.tstate != 0 && walk_guarded(w.layout, memory, view, w.main);
  memory.close();
  return good;
}

Worker* Workers::next(const PythonLayout& layout, MemoryView& view, int64_t now_ns) noexcept {
  for (unsigned i = 0; i < kMax; ++i) {
    Worker& w = workers_[turn_++ % kMax];
    if (w.pid == 0) continue;
    if (w.readable) return &w;
    if (now_ns < w.next_probe_ns || w.failures >= kMaxProbes) continue;
    const int64_t begin = read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    w.readable = find_interpreter(layout, view, w);
    probe_cpu_ns_ += read_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
    w.next_probe_ns = now_ns + (int64_t{200000000} << w.failures);
    w.failures = w.readable ? 0 : w.failures + 1;
    if (w.readable) return &w;
  }
  return nullptr;
}

void Workers::walked(Worker& worker, bool good) noexcept {
  worker.failures = good ? 0 : worker.failures + 1;
  if (worker.failures < 3) return;
  worker.readable = false;
  worker.failures = 0;
}

}  // namespace gpustall::interpose
