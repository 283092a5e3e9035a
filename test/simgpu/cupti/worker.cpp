// See worker.h.
#include "worker.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>

#include <algorithm>

#include "../core/raw_syscall.h"
#include "buffers.h"
#include "entry.h"
#include "settings.h"

namespace simgpu::cupti {
namespace {

constexpr int64_t kMs = 1'000'000;
// A full buffer may hold records that have not ended: at most one look per this time.
constexpr int64_t kRetryNs = 5 * kMs;
constexpr int64_t kIdleNs = 1000 * kMs;

timespec spec(int64_t ns) {
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

}  // namespace

void raw_sleep(int64_t ns) {
  timespec left = spec(ns);
  while (raw_syscall(SYS_nanosleep, raw_arg(&left), raw_arg(&left)) == -4) continue;  // EINTR
}

void Worker::start() {
  if (started_.exchange(true)) return;
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, &Worker::run, this) == 0) pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

void Worker::wake() {
  // Submissions into a full buffer all come here; only the first has to tell.
  if (signal_.load(std::memory_order_relaxed) != 0 || signal_.exchange(1) != 0) return;
  raw_syscall(SYS_futex, raw_arg(&signal_), FUTEX_WAKE_PRIVATE, 1);
}

void Worker::set_period_ms(uint32_t ms) {
  period_ms_ = ms;
  if (ms != 0) start();
  wake();
}

int64_t Worker::wait_ns() const {
  int64_t wait = kIdleNs;
  if (period_ms_ != 0) wait = std::min(wait, period_ms_.load() * kMs);
  if (settings().late_ns > 0) wait = std::min(wait, std::max(settings().late_ns / 4, kMs));
  return wait;
}

void* Worker::run(void* self) {
  pthread_setname_np(pthread_self(), "simgpu-cupti");
  static_cast<Worker*>(self)->loop();
  return nullptr;
}

void Worker::loop() {
  for (;;) {
    const timespec timeout = spec(wait_ns());
    raw_syscall(SYS_futex, raw_arg(&signal_), FUTEX_WAIT_PRIVATE, 0, raw_arg(&timeout));
    const bool woken = signal_.exchange(0) != 0;
    deliver(settings().late_ns > 0 ? RecordQueue::Want::Completed : RecordQueue::Want::FullBuffers);
    if (woken) raw_sleep(kRetryNs);
  }
}

Worker& worker() {
  static Worker* value = new Worker;  // outlives every exit handler: its thread is never joined
  return *value;
}

}  // namespace simgpu::cupti
