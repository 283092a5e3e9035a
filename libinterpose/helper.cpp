#include "libinterpose/helper.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include <cstdio>

#include "libinterpose/clock.h"
#include "libinterpose/fork.h"
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
constexpr int64_t kSlackNs = 2000000;  // a job is done so much early where that saves a wake-up

// One word for the life of a helper; it is also the futex that wakes it for the last round.
enum Life : uint32_t { kNone, kRunning, kHurried, kAsked, kDone };

class Helper {
 public:
  using Main = void*(void*) noexcept;
  constexpr Helper(const char* name, Main* main) noexcept : name_(name), main_(main) {}

  bool add(Job job, int64_t period_ns) noexcept;
  bool start() noexcept;
  void begin() noexcept {
    ::prctl(PR_SET_NAME, name_);
    tid_.store(sys::tid(), std::memory_order_relaxed);
  }
  bool is_running() const noexcept { return life() == kRunning || life() == kHurried; }
  // Runs what is due and sleeps until the next job, `longest_ns` at most, or until it is asked.
  void turn(HookGuard& guard, int64_t longest_ns) noexcept;
  void last_round(HookGuard& guard) noexcept;

  // To do what `life` says, kHurried or kAsked.
  void ask(Life life) noexcept;
  // False: the time is over.
  bool wait_while(Life life, int64_t deadline_ns) const noexcept;
  void forget() noexcept;
  uint32_t tid() const noexcept { return tid_.load(std::memory_order_relaxed); }

 private:
  struct Entry {
    Job job;
    int64_t period_ns, due_ns;
  };
  uint32_t life() const noexcept { return life_.load(std::memory_order_acquire); }
  int64_t run_due(HookGuard& guard) noexcept;
  void run_all(HookGuard& guard, Round round) noexcept;

  const char* name_;
  Main* main_;
  Entry jobs_[kMaxJobs] = {};
  std::atomic<unsigned> taken_{0}, ready_{0};
  std::atomic<uint32_t> life_{kNone}, tid_{0};
};

void* device_main(void*) noexcept;
void* trace_main(void*) noexcept;
Helper g_device{"gpustall", device_main}, g_trace{"gpustall-trace", trace_main};
std::atomic<bool> g_leaving{false};  // the helpers end, and the process with them

bool Helper::add(Job job, int64_t period_ns) noexcept {
  const unsigned i = taken_.fetch_add(1, std::memory_order_relaxed);
  if (i >= kMaxJobs) return false;
  jobs_[i] = {job, period_ns, 0};
  while (ready_.load(std::memory_order_acquire) != i) sched_yield();
  ready_.store(i + 1, std::memory_order_release);
  return true;
}

bool Helper::start() noexcept {
  uint32_t none = kNone;
  if (!life_.compare_exchange_strong(none, kRunning)) return none == kRunning;
  sigset_t all, before;
  ::sigfillset(&all);
  pthread_attr_t attributes;
  int error = ::pthread_attr_init(&attributes);
  if (error == 0) {
    ::pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    ::pthread_attr_setstacksize(&attributes, 256 * 1024);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    error = real::pthread_create(&thread, &attributes, main_, nullptr);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    ::pthread_attr_destroy(&attributes);
  }
  if (error != 0) life_.store(kNone, std::memory_order_relaxed);
  errno = error;
  return error == 0;
}

void Helper::run_all(HookGuard& guard, Round round) noexcept {
  for (unsigned i = 0; i < ready_.load(std::memory_order_acquire); ++i) jobs_[i].job(guard, round);
}

// Returns the time until the next job.
int64_t Helper::run_due(HookGuard& guard) noexcept {
  int64_t wait = 100000000;
  for (unsigned i = 0; i < ready_.load(std::memory_order_acquire); ++i) {
    Entry& e = jobs_[i];
    const int64_t now = read_clock_ns(CLOCK_MONOTONIC);
    if (now >= e.due_ns - kSlackNs) {
      e.job(guard, Round::Periodic);
      // Late jobs are not made up for: the machine was busy with the program's work.
      e.due_ns = (now - e.due_ns > e.period_ns ? now : e.due_ns) + e.period_ns;
    }
    if (e.due_ns - now < wait) wait = e.due_ns - now;
  }
  return wait > 100000 ? wait : 100000;
}

void Helper::turn(HookGuard& guard, int64_t longest_ns) noexcept {
  if (life() == kHurried) {
    run_all(guard, Round::Now);
    uint32_t hurried = kHurried;
    life_.compare_exchange_strong(hurried, kRunning);
    sys::futex_wake(&life_);
  }
  const int64_t wait = run_due(guard);
  sys::futex_wait(&life_, kRunning, wait < longest_ns ? wait : longest_ns);
}

void Helper::last_round(HookGuard& guard) noexcept {
  run_all(guard, Round::Last);
  life_.store(kDone, std::memory_order_release);
  sys::futex_wake(&life_);
}

void Helper::ask(Life wanted) noexcept {
  for (uint32_t now = life(); now == kRunning || now == kHurried;) {
    if (!life_.compare_exchange_strong(now, wanted)) continue;
    sys::futex_wake(&life_);
    return;
  }
}

bool Helper::wait_while(Life asked, int64_t deadline_ns) const noexcept {
  while (life() == asked) {
    const int64_t left = deadline_ns - read_clock_ns(CLOCK_MONOTONIC);
    if (left <= 0) return false;
    sys::futex_wait(&life_, asked, left);
  }
  return true;
}

void Helper::forget() noexcept {
  life_.store(kNone, std::memory_order_relaxed);
  tid_.store(0, std::memory_order_relaxed);
  taken_.store(0, std::memory_order_relaxed);
  ready_.store(0, std::memory_order_relaxed);
}

// The program's threads have all ended, its main thread by pthread_exit: for glibc the process
// lives on as long as we do. Asked without opening anything: this thread's descriptors are the
// program's.
bool only_helpers_are_left() noexcept {
  const unsigned helpers = g_trace.tid() != 0 ? 2 : 1;
  struct stat tasks;  // a link for each thread, the ended main one too, and two of its own
  if (::stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink != 2 + 1 + helpers) return false;
  char path[48], folder[8];
  std::snprintf(path, sizeof path, "/proc/self/task/%u/cwd", sys::pid());
  return ::readlink(path, folder, sizeof folder) < 0 && errno == ENOENT;  // an ended one has none
}

// The other one has left the program's table, so this one must be the last: glibc ends the process
// on the last thread, and what the handlers of exit write belongs into the program's descriptors.
void end_trace_helper() noexcept {
  g_leaving.store(true);
  g_trace.ask(kAsked);
  const uint32_t tid = g_trace.tid();
  while (tid != 0 && ::syscall(SYS_tgkill, sys::pid(), tid, 0) == 0) sys::sleep_ns(1000000);
}

// At an exit of the process nobody joins.
void* end_or_rest() noexcept {
  while (!g_leaving.load()) ::pause();
  return nullptr;
}

void* device_main(void*) noexcept {
  g_device.begin();
  HookGuard guard{HookGuard::OwnThread{}};
  if (!guard.recording()) return nullptr;
  for (int64_t next_look = 0; g_device.is_running(); g_device.turn(guard, kLookNs)) {
    const int64_t now = read_clock_ns(CLOCK_MONOTONIC);
    if (now < next_look) continue;
    next_look = now + kLookNs;
    if (!only_helpers_are_left()) continue;
    g_device.last_round(guard);
    end_trace_helper();
    return nullptr;
  }
  g_device.last_round(guard);
  return end_or_rest();
}

void* trace_main(void*) noexcept {
  g_trace.begin();
  HookGuard guard{HookGuard::OwnThread{}};
  if (!guard.recording()) {
    g_trace.forget();
    return nullptr;
  }
  if (g_process->file.leave_descriptors()) guard.thread().own_table = epoch() + 1;
  while (g_trace.is_running()) g_trace.turn(guard, kLookNs);
  g_trace.last_round(guard);
  return end_or_rest();
}

}  // namespace

bool add_periodic(Job job, int64_t period_ns) noexcept {
  return g_trace.add(job, period_ns);
}
bool add_device_job(Job job, int64_t period_ns) noexcept {
  return g_device.add(job, period_ns);
}

uint32_t helper_tid() noexcept {
  return g_trace.tid();
}

uint64_t helper_cpu_ns() noexcept {
  uint64_t ns = 0;
  for (const Helper* helper : {&g_device, &g_trace})
    if (helper->tid() != 0) ns += sys::thread_cpu_ns(helper->tid());
  return ns;
}

// The second never without the first, which keeps the program's descriptors open to the end.
bool start_helpers() noexcept {
  return g_device.start() && g_trace.start();
}

void finish_helpers() noexcept {
  const int64_t deadline = read_clock_ns(CLOCK_MONOTONIC) + kExitWaitNs;
  for (Helper* helper : {&g_device, &g_trace}) helper->ask(kAsked);
  for (const Helper* helper : {&g_device, &g_trace})
    if (!helper->wait_while(kAsked, deadline)) return;
}

void hurry_helpers() noexcept {
  g_device.ask(kHurried);
  g_device.wait_while(kHurried, read_clock_ns(CLOCK_MONOTONIC) + kExitWaitNs);
}

void forget_helpers() noexcept {
  g_device.forget();
  g_trace.forget();
}

}  // namespace gpustall::interpose
