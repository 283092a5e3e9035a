// Jobs are done strictly in the order of submission; a ticket is the count of jobs pushed so far.
#include "worker.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>

#include "host_clock.h"

namespace simgpu {
namespace {

void sleep_on(std::atomic<uint32_t>& word, uint32_t seen) {
  raw_syscall(SYS_futex, raw_arg(&word), FUTEX_WAIT_PRIVATE, seen);
}

void wake_all(std::atomic<uint32_t>& word) {
  raw_syscall(SYS_futex, raw_arg(&word), FUTEX_WAKE_PRIVATE, 0x7fffffff);
}

}  // namespace

bool Worker::take(Job* next) {
  LockGuard guard(lock_);
  running_due_ns_ = INT64_MAX;
  if (jobs_.empty()) return false;
  *next = jobs_.front();
  jobs_.pop_front();
  running_due_ns_ = next->due_ns;
  return true;
}

void* Worker::run(void* self) {
  Worker& worker = *static_cast<Worker*>(self);
  for (;;) {
    const uint32_t seen = worker.queued_.load();
    Job next;
    if (!worker.take(&next)) {
      sleep_on(worker.queued_, seen);
      continue;
    }
    wait_until(next.not_before_ns);
    next.call(next.user);
    worker.done_.fetch_add(1);
    wake_all(worker.done_);
  }
  return nullptr;
}

void Worker::start_thread() {
  sigset_t everything, before;
  sigfillset(&everything);
  pthread_sigmask(SIG_SETMASK, &everything, &before);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, run, this) == 0) {
    pthread_setname_np(thread, "simgpu");
    pthread_detach(thread);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Worker::push(const Job& job) {
  {
    LockGuard guard(lock_);
    jobs_.push_back(job);
    queued_.fetch_add(1);
    if (!started_) start_thread();
    started_ = true;
  }
  wake_all(queued_);
}

uint32_t Worker::last_due(int64_t until_ns) {
  LockGuard guard(lock_);
  uint32_t ticket = queued_.load();
  for (auto job = jobs_.rbegin(); job != jobs_.rend() && job->due_ns > until_ns; ++job) --ticket;
  const bool none_queued = ticket == queued_.load() - static_cast<uint32_t>(jobs_.size());
  if (none_queued && running_due_ns_ != INT64_MAX && running_due_ns_ > until_ns) --ticket;
  return ticket;
}

bool Worker::done(int64_t until_ns) {
  if (done_.load() == queued_.load()) return true;
  return static_cast<int32_t>(last_due(until_ns) - done_.load()) <= 0;
}

void Worker::wait(int64_t until_ns) {
  if (done_.load() == queued_.load()) return;
  const uint32_t ticket = last_due(until_ns);
  for (uint32_t seen = done_.load(); static_cast<int32_t>(ticket - seen) > 0; seen = done_.load())
    sleep_on(done_, seen);
}

}  // namespace simgpu
