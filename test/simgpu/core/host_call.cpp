// One thread, started with the first call; it sleeps by futex until the earliest due moment.
#include "host_call.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <atomic>
#include <deque>

#include "api_scope.h"
#include "futex_lock.h"
#include "host_clock.h"
#include "raw_syscall.h"

namespace simgpu {
namespace {

struct Due {
  int64_t when_ns;
  void (*call)(void*);
  void* user;
};

struct Queue {
  FutexLock lock;
  std::deque<Due> due;  // in order of submission; a call never overtakes an earlier one
  bool running = false;
  std::atomic<uint32_t> queued{0}, done{0};  // counts; futex words
};

Queue& queue() {
  static Queue* const kQueue = new Queue;  // never freed: the thread outlives static destructors
  return *kQueue;
}

void sleep_on(std::atomic<uint32_t>& word, uint32_t seen) {
  raw_syscall(SYS_futex, raw_arg(&word), FUTEX_WAIT_PRIVATE, seen);
}

void wake_all(std::atomic<uint32_t>& word) {
  raw_syscall(SYS_futex, raw_arg(&word), FUTEX_WAKE_PRIVATE, 0x7fffffff);
}

bool take(Queue& all, Due* next) {
  LockGuard guard(all.lock);
  if (all.due.empty()) return false;
  *next = all.due.front();
  all.due.pop_front();
  return true;
}

void* run(void*) {
  Queue& all = queue();
  for (;;) {
    const uint32_t seen = all.queued.load();
    Due next;
    if (!take(all, &next)) {
      sleep_on(all.queued, seen);
      continue;
    }
    wait_until(next.when_ns);
    next.call(next.user);
    all.done.fetch_add(1);
    wake_all(all.done);
  }
  return nullptr;
}

void start_thread() {
  sigset_t everything, before;
  sigfillset(&everything);
  pthread_sigmask(SIG_SETMASK, &everything,
                  &before);  // the program's signals are not for this thread
  pthread_t thread;
  if (pthread_create(&thread, nullptr, run, nullptr) == 0) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace

void queue_host_call(int64_t when_ns, void (*call)(void*), void* user) {
  Queue& all = queue();
  {
    LockGuard guard(all.lock);
    all.due.push_back({when_ns, call, user});
    if (!all.running) start_thread();
    all.running = true;
  }
  all.queued.fetch_add(1);
  wake_all(all.queued);
}

void wait_for_host_calls(int64_t until_ns) {
  Queue& all = queue();
  uint32_t target = all.done.load();
  {
    LockGuard guard(all.lock);
    if (!all.running) return;
    uint32_t later = 0;
    for (const Due& due : all.due) later += due.when_ns > until_ns;
    target = all.queued.load() - later;
  }
  for (uint32_t seen = all.done.load(); static_cast<int32_t>(target - seen) > 0;
       seen = all.done.load())
    sleep_on(all.done, seen);
}

}  // namespace simgpu
