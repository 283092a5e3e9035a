// A thread of the device that does real work in order: host functions, and the bytes of large
// asynchronous copies. Started with the first job; sleeps and wakes by raw futex; the program's
// signals are blocked on it.
#pragma once
#include <atomic>
#include <cstdint>
#include <deque>

#include "futex_lock.h"

namespace simgpu {

struct Job {
  int64_t not_before_ns;  // when the work may begin
  int64_t due_ns;         // when the modelled timeline counts it as done
  void (*call)(void*);
  void* user;
};

class Worker {
 public:
  void push(const Job&);
  // Whether every job that is due by then has been done.
  bool done(int64_t until_ns);
  // Waits for that. Not to be called from a job of the same worker.
  void wait(int64_t until_ns);

 private:
  static void* run(void* self);
  void start_thread();
  bool take(Job* next);
  uint32_t last_due(int64_t until_ns);  // ticket of the last such job

  FutexLock lock_;
  std::deque<Job> jobs_;  // queued and not yet begun
  bool started_ = false;
  int64_t running_due_ns_ = INT64_MAX;  // of the job that is being done; INT64_MAX when none is
  std::atomic<uint32_t> queued_{0}, done_{0};  // counts; futex words
};

}  // namespace simgpu
