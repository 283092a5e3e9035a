#include "libinterpose/helper.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <climits>
#include <cstdio>
#include <cstring>

#include "libinterpose/clock.h"
#include "libinterpose/helper_thread.h"
#include "libinterpose/hooks.h"
#include "libinterpose/process.h"
#include "libinterpose/sys.h"

namespace gpustall::interpose {

HookGuard::HookGuard(OwnThread) noexcept : errno_(errno) {
  if (!is_on()) return;
  ThreadState* t = attach_thread();
  if (t == nullptr) return;
  t->depth = 1;
  t->inert = true;
  thread_ = t;
}

namespace {

constexpr unsigned kMaxJobs = 16;
constexpr int64_t kExitWaitNs = 200000000;
constexpr int64_t kLookNs = 50000000;  // for being the last thread

struct Entry {
  Job job;
  int64_t period_ns, due_ns;
};
Entry g_jobs[kMaxJobs];
std::atomic<unsigned> g_taken{0}, g_ready{0};

// One word for the life of the helper; it is also the futex that wakes it for the last round.
enum Life : uint32_t { kNone, kRunning, kAsked, kDone };
std::atomic<uint32_t> g_life{kNone};
std::atomic<uint32_t> g_tid{0};

// Runs what is due; returns the time until the next job.
int64_t run_due(HookGuard& guard) noexcept {
  int64_t wait = 100000000;
  for (unsigned i = 0; i < g_ready.load(std::memory_order_acquire); ++i) {
    Entry& e = g_jobs[i];
    const int64_t now = read_clock_ns(CLOCK_MONOTONIC);
    if (now >= e.due_ns) {
      e.job(guard, Round::Periodic);
      // Late jobs are not made up for: the machine was busy with the program's work.
      e.due_ns = (now - e.due_ns > e.period_ns ? now : e.due_ns) + e.period_ns;
    }
    if (e.due_ns - now < wait) wait = e.due_ns - now;
  }
  return wait > 100000 ? wait : 100000;
}

// The program's threads have all ended, its main thread by pthread_exit: for glibc the process
// lives on as long as we do.
bool is_last_thread() noexcept {
  struct stat tasks;  // a link for each thread, the ended main one too, and two of its own
  if (::stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink != 2 + 2) return false;
  char path[48], text[256];
  std::snprintf(path, sizeof path, "/proc/self/task/%u/stat", sys::pid());
  if (sys::read_file(path, text, sizeof text) == 0) return false;
  const char* state = std::strrchr(text, ')');  // "pid (name) S ..."
  return state != nullptr && state[1] == ' ' && state[2] == 'Z';
}

void* helper_main(void*) noexcept {
  ::prctl(PR_SET_NAME, "gpustall");
  g_tid.store(sys::tid(), std::memory_order_relaxed);
  HookGuard guard{HookGuard::OwnThread{}};
  if (!guard.recording()) return nullptr;
  bool last = false;
  int64_t next_look = 0;
  while (g_life.load(std::memory_order_acquire) == kRunning) {
    const int64_t wait = run_due(guard), now = read_clock_ns(CLOCK_MONOTONIC);
    if (now >= next_look) {
      if ((last = is_last_thread())) break;
      next_look = now + kLookNs;
    }
    sys::futex_wait(&g_life, kRunning, wait);
  }
  for (unsigned i = 0; i < g_ready.load(std::memory_order_acquire); ++i)
    g_jobs[i].job(guard, Round::Last);
  g_life.store(kDone, std::memory_order_release);
  sys::futex_wake(&g_life);
  if (last) return nullptr;  // glibc ends the process with its last thread
  for (;;) ::pause();        // the process is exiting; nobody joins
}

}  // namespace

bool add_periodic(Job job, int64_t period_ns) noexcept {
  const unsigned i = g_taken.fetch_add(1, std::memory_order_relaxed);
  if (i >= kMaxJobs) return false;
  g_jobs[i] = {job, period_ns, 0};
  while (g_ready.load(std::memory_order_acquire) != i) sched_yield();
  g_ready.store(i + 1, std::memory_order_release);
  return true;
}

uint32_t helper_tid() noexcept {
  return g_tid.load(std::memory_order_relaxed);
}

bool start_helper() noexcept {
  uint32_t none = kNone;
  if (!g_life.compare_exchange_strong(none, kRunning)) return none == kRunning;
  sigset_t all, before;
  ::sigfillset(&all);
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return false;
  ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  ::pthread_attr_setstacksize(&attributes, 256 * 1024);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const int error = real::pthread_create(&thread, &attributes, helper_main, nullptr);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::pthread_attr_destroy(&attributes);
  if (error != 0) g_life.store(kNone, std::memory_order_relaxed);
  return error == 0;
}

void finish_helper() noexcept {
  uint32_t running = kRunning;
  if (!g_life.compare_exchange_strong(running, kAsked)) return;
  sys::futex_wake(&g_life);
  const int64_t deadline = read_clock_ns(CLOCK_MONOTONIC) + kExitWaitNs;
  for (;;) {
    const int64_t left = deadline - read_clock_ns(CLOCK_MONOTONIC);
    if (left <= 0 || g_life.load(std::memory_order_acquire) == kDone) return;
    sys::futex_wait(&g_life, kAsked, left);
  }
}

void forget_helper() noexcept {
  g_life.store(kNone, std::memory_order_relaxed);
  g_tid.store(0, std::memory_order_relaxed);
  g_taken.store(0, std::memory_order_relaxed);
  g_ready.store(0, std::memory_order_relaxed);
}

}  // namespace gpustall::interpose
