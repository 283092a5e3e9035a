// The wrappers of libc in hooks.def. None changes a result, errno, a lock or a signal; each calls
// its original exactly once. A wrapper is defined under a name of its own and exported under the
// symbol, so that glibc's declarations and fortified inlines cannot collide with it. It is not
// noexcept: pthread_cancel unwinds through it where the original is a cancellation point.
#include "libinterpose/affinity.h"
#include "libinterpose/creators.h"
#include "libinterpose/dictionary.h"
#include "libinterpose/hooks.h"
#include "libinterpose/process.h"
#include "libinterpose/recorder.h"
#include "libinterpose/seams.h"
#include "libinterpose/start.h"
#include "libinterpose/sys.h"
#include "libinterpose/waits.h"
#include "libinterpose/wakers.h"

#define GPUSTALL_EXPORTED(symbol) __asm__(#symbol) __attribute__((visibility("default"), used))

namespace gpustall::interpose {

extern "C" {

#define GPUSTALL_WAIT_HOOK(symbol, wait, result, parameters, arguments, early, object)         \
  result hook_##symbol parameters GPUSTALL_EXPORTED(symbol);                                   \
  result hook_##symbol parameters {                                                            \
    const int64_t start = begin_wait();                                                        \
    const result outcome = real::symbol arguments;                                             \
    /* After a failure what the arguments point to may not be there to be looked at. */        \
    if (start != 0)                                                                            \
      record_wait(start, trace::WaitId::wait, outcome < 0 ? on_nothing() : (object), outcome); \
    return outcome;                                                                            \
  }
// Before the original: the woken thread may look for its waker at once.
#define GPUSTALL_WAKE_HOOK(symbol, type, kind)               \
  int hook_##symbol(type* object) GPUSTALL_EXPORTED(symbol); \
  int hook_##symbol(type* object) {                          \
    if (is_recording()) note_wake(object);                   \
    return real::symbol(object);                             \
  }
static bool is_own_process() noexcept {
  return is_on() && g_process->pid.load(std::memory_order_relaxed) == sys::pid();
}
static void note_wake(const void* object) noexcept {
  const ThreadState* t = tls_thread;
  uint32_t tid = t == nullptr ? 0 : t->tid.load(std::memory_order_relaxed);
  if (tid == 0) tid = sys::tid();  // waking alone is no reason to attach
  note_waker(reinterpret_cast<uint64_t>(object), tid, now_ticks());
}
#include "libinterpose/hooks.def"

// The caller's line is worth a record however short the call was; `result` is what the thread may
// use from then on.
int hook_sched_setaffinity(pid_t pid, size_t n, const cpu_set_t* set)
    GPUSTALL_EXPORTED(sched_setaffinity);
int hook_sched_setaffinity(pid_t pid, size_t n, const cpu_set_t* set) {
  const int64_t start = begin_wait();
  const int before = allowed_cpus();
  const int outcome = real::sched_setaffinity(pid, n, set);
  const int error = errno;
  if (outcome == 0) note_affinity(before, __builtin_return_address(0));
  if (start != 0) record_affinity(start, outcome == 0 ? allowed_cpus() : -1);
  errno = error;
  return outcome;
}

pid_t hook_fork() GPUSTALL_EXPORTED(fork);
pid_t hook_fork() {
  const int64_t start = begin_wait();
  const pid_t child = real::fork();
  if (child > 0) stacks::child_started(static_cast<uint32_t>(child));  // also before we record
  if (start == 0 || child <= 0) return child;
  HookGuard guard;
  if (!guard.recording()) return child;
  const auto duration = static_cast<uint64_t>(now_ticks() - start);
  emit(guard,
       trace::Fork{start, duration, static_cast<uint64_t>(child), stacks::python_stack(guard)});
  return child;
}

int hook_pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                        void* (*routine)(void*), void* argument) GPUSTALL_EXPORTED(pthread_create);
int hook_pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                        void* (*routine)(void*), void* argument) {
  if (!is_recording()) return real::pthread_create(thread, attributes, routine, argument);
  Creator creator{};
  {
    HookGuard guard;
    if (guard.recording()) creator = {guard.thread().tid, stacks::python_stack(guard)};
  }
  const int error = real::pthread_create(thread, attributes, routine, argument);
  if (error != 0 || creator.tid == 0) return error;
  // By a guarded read: the new thread may already have freed what holds its own handle.
  HookGuard guard;
  pthread_t created = 0;
  iovec to{&created, sizeof created}, from{thread, sizeof created};
  if (::syscall(SYS_process_vm_readv, sys::pid(), &to, 1, &from, 1, 0) == sizeof created)
    note_creator(created, creator);
  return error;
}

// The end of a process that runs no exit handler: a worker of multiprocessing, an exec. What is in
// memory goes to the file first. A child of vfork shares it with its parent, and leaves it alone.
#define GPUSTALL_EXIT_HOOK(symbol)                   \
  void hook_##symbol(int) GPUSTALL_EXPORTED(symbol); \
  void hook_##symbol(int code) {                     \
    if (is_own_process()) finish_recording();        \
    real::symbol(code);                              \
  }
GPUSTALL_EXIT_HOOK(_exit)
GPUSTALL_EXIT_HOOK(_Exit)
#undef GPUSTALL_EXIT_HOOK

#define GPUSTALL_EXEC_HOOK(symbol, parameters, arguments) \
  int hook_##symbol parameters GPUSTALL_EXPORTED(symbol); \
  int hook_##symbol parameters {                          \
    if (is_own_process()) flush_recording();              \
    return real::symbol arguments;                        \
  }
GPUSTALL_EXEC_HOOK(execve, (const char* path, char* const* argv, char* const* environment),
                   (path, argv, environment))
GPUSTALL_EXEC_HOOK(execv, (const char* path, char* const* argv), (path, argv))
GPUSTALL_EXEC_HOOK(execvp, (const char* file, char* const* argv), (file, argv))
GPUSTALL_EXEC_HOOK(execvpe, (const char* file, char* const* argv, char* const* environment),
                   (file, argv, environment))
#undef GPUSTALL_EXEC_HOOK

}  // extern "C"

}  // namespace gpustall::interpose
