// Preloaded into a Python by the tests: a read() of kMagicCount bytes captures the caller's stacks
// as the recorder's hooks do, after the call and without the GIL. Reached from Python by ctypes.
#include <dlfcn.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <string>

#include "collector/read/python_lines.h"
#include "libinterpose/clock.h"
#include "libinterpose/seams.h"
#include "libinterpose/stacks/python_offsets.h"
#include "test/stacks/fake_core.h"

#define PROBE_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using namespace gpustall;
using namespace gpustall::interpose;

constexpr size_t kMagicCount = 4242;
thread_local std::string t_text;
thread_local uint32_t t_python, t_native;

std::string as_text(uint32_t stack) {
  std::string out;
  for (const fake::Line& l : fake::lines_of(stack)) {
    const int line = collect::line_of(python_version(), l.first_line, l.line_table, l.position);
    out += l.function + '\t' + l.file + '\t' + std::to_string(line) + '\n';
  }
  return out;
}

}  // namespace

PROBE_EXPORT ssize_t read(int fd, void* buffer, size_t count) {
  using Read = ssize_t (*)(int, void*, size_t);
  static const Read real = reinterpret_cast<Read>(dlsym(RTLD_NEXT, "read"));
  const ssize_t result = real(fd, buffer, count);
  if (count != kMagicCount) return result;
  find_python();
  HookGuard guard;
  t_python = stacks::python_stack(guard);
  t_native = stacks::native_stack(guard);
  return result;
}

// function, file, line of every frame, innermost first.
PROBE_EXPORT const char* probe_python_stack() {
  t_text = as_text(t_python);
  return t_text.c_str();
}

// Names of the native frames as dladdr knows them, innermost first.
PROBE_EXPORT const char* probe_native_stack() {
  t_text.clear();
  for (const uint64_t pc : fake::natives[t_native]) {
    Dl_info info{};
    dladdr(reinterpret_cast<void*>(pc - 1), &info);
    t_text += std::string(info.dli_sname != nullptr ? info.dli_sname : "?") + '\n';
  }
  return t_text.c_str();
}

// "ready", "absent" or why Python stacks are refused.
PROBE_EXPORT const char* probe_state() {
  const PythonState state = find_python();
  return state == PythonState::Ready    ? "ready"
         : state == PythonState::Absent ? "absent"
                                        : python_refusal();
}

// Nanoseconds of one capture of the caller's stack: CPU time, the best of ten batches.
PROBE_EXPORT double probe_cost(int native, int rounds) {
  HookGuard guard;
  double best = 1e9;
  for (int batch = 0; batch < 10; ++batch) {
    const int64_t begin = read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < rounds / 10; ++i)
      native != 0 ? stacks::native_stack(guard) : stacks::python_stack(guard);
    const int64_t spent = read_clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin;
    best = std::min(best, static_cast<double>(spent) / (rounds / 10));
  }
  return best;
}

// A thread's start routine: reads on a thread without a Python thread state.
static uint32_t g_foreign = 1;
PROBE_EXPORT void* probe_read_here(void* fd) {
  char buffer[kMagicCount];
  g_foreign = 1;
  if (read(static_cast<int>(reinterpret_cast<intptr_t>(fd)), buffer, sizeof buffer) > 0)
    g_foreign = t_python;
  return nullptr;
}
PROBE_EXPORT uint32_t probe_last_foreign() {
  return g_foreign;
}
