// Start, stop and exit of the recorder.
#include <errno.h>
#include <stdlib.h>

#include <cstdio>
#include <cstring>

#include "libinterpose/clock.h"
#include "libinterpose/fork.h"
#include "libinterpose/helper.h"
#include "libinterpose/helper_thread.h"
#include "libinterpose/process.h"
#include "libinterpose/quota.h"
#include "libinterpose/recorder.h"
#include "libinterpose/run_directory.h"
#include "libinterpose/seams.h"
#include "libinterpose/settings.h"
#include "libinterpose/start.h"
#include "libinterpose/sys.h"
#include "libinterpose/thread_record.h"
#include "libinterpose/waits.h"
#include "libinterpose/window.h"

namespace gpustall::interpose {

std::atomic<State> g_state{State::Uninitialized};

namespace {

constexpr int64_t kMillisecond = 1000000;
// Multiples of one another, so that the helper wakes up once for both.
constexpr int64_t kDrainNs = 20 * kMillisecond, kThreadsNs = 3 * kDrainNs;
constexpr unsigned kAllThreadsEvery = 16;

void drain_file(HookGuard& guard) noexcept {
  g_process->file.drain();
  if (g_process->file.take_cut())
    notice(guard, trace::NoticeKind::FileCut, 0,
           "somebody cut the trace file; what it held until then is lost");
}

void file_job(HookGuard& guard, Round round) noexcept {
  if (round == Round::Periodic) g_process->file.work_ahead();
  drain_file(guard);
}
void clock_job(HookGuard& guard, Round) noexcept {
  write_clock(guard);
}
void module_job(HookGuard& guard, Round) noexcept {
  write_modules(guard);
}
void threads_job(HookGuard& guard, Round round) noexcept {
  static unsigned turn = 0;
  observe_threads(guard, round == Round::Last || turn++ % kAllThreadsEvery == 0);
}

void cost_job(HookGuard& guard, Round) noexcept {
  uint64_t ticks = 0, calls = 0;
  for (ThreadState* t = first_thread(); t != nullptr; t = t->next) {
    ticks += static_cast<uint64_t>(t->own_ticks);
    calls += t->own_calls;
  }
  emit_shared(guard,
              trace::OwnCost{now_ticks(), ticks, calls, helper_cpu_ns(), stacks::sampler_cpu_ns()});
}

void register_jobs() noexcept {
  add_periodic(file_job, kDrainNs);
  add_periodic(threads_job, kThreadsNs);
  add_periodic(module_job, 1000 * kMillisecond);
  add_periodic(cost_job, 1000 * kMillisecond);
  add_periodic(clock_job, 1000 * kMillisecond);
}

void turn_off_quietly() noexcept {
  g_recording.store(false, std::memory_order_relaxed);
  g_state.store(State::Off, std::memory_order_release);
}

void on_exit() noexcept {
  const int kept = errno;
  finish_recording();
  errno = kept;
}

bool open_file() noexcept {
  if (g_process->file.open()) return true;
  char text[256];
  std::snprintf(text, sizeof text, "cannot write the trace to %.120s: %s", g_settings.out_dir,
                std::strerror(errno));
  turn_off(text);
  return false;
}

}  // namespace

void announce_process(ThreadState*) noexcept {
  if (g_process->announced.exchange(true)) return;
  HookGuard guard{HookGuard::AnyWindow{}};
  if (!guard.recording()) return;
  if (!g_process->file.open()) {
    turn_off("cannot write the trace of a worker process");
    return;
  }
  write_clock(guard);
  write_info(guard);
  stacks::start(guard);
  write_modules(guard);
  write_thread_record(guard);
}

namespace {
// True for the one thread whose turn it is.
bool is_due(std::atomic<int64_t>& next, int64_t now, int64_t period_ns) noexcept {
  int64_t due = next.load(std::memory_order_relaxed);
  return now >= due && next.compare_exchange_strong(due, now + ticks_from_ns(period_ns));
}
}  // namespace

void upkeep(HookGuard& guard, int64_t now) noexcept {
  if (helper_tid() != 0) return;
  if (is_due(g_process->next_drain_ticks, now, kDrainNs)) drain_file(guard);
  if (!is_due(g_process->next_upkeep_ticks, now, 1000 * kMillisecond)) return;
  write_clock(guard);
  write_modules(guard);
  write_thread_record(guard);
}

namespace {

// What only a process that uses CUDA itself has: CUPTI and the helper thread. Once per process,
// also in a worker that joined its parent earlier, or that a recorder without CUDA forked.
void start_cuda(HookGuard& guard) noexcept {
  if (!cupti::usable() || file_header() == nullptr || g_process->cuda_started.exchange(true))
    return;
  register_jobs();
  start_quota_watch(guard);
  __atomic_store_n(&file_header()->role, static_cast<uint8_t>(trace::Role::Trainer),
                   __ATOMIC_RELAXED);
  cupti::start(guard);
  if (!start_helpers()) notice(guard, trace::NoticeKind::SamplerOff, errno, "no helper thread");
}

bool begin_recording() noexcept {
  name_the_run();
  choose_clock();
  set_wait_thresholds();
  find_gil();
  g_process->pid.store(sys::pid());
  if (!open_file()) return false;
  g_state.store(State::On, std::memory_order_release);
  ::atexit(on_exit);
  HookGuard guard{HookGuard::AnyWindow{}};  // attaches this thread and announces the process
  if (!guard.recording()) return false;
  start_window(guard);
  if (g_settings.malformed)
    notice(guard, trace::NoticeKind::Other, 0, "a GPUSTALL_* setting was not understood");
  tell_children();
  diag("recording");
  return true;
}

}  // namespace

bool start_recording(StartReason reason) noexcept {
  if (g_process == nullptr || state() > State::On) return false;
  State seen = State::Uninitialized;
  if (g_state.compare_exchange_strong(seen, State::Starting)) {
    if (!begin_recording()) return is_on();
  } else if (seen != State::On) {
    return false;
  }
  if (reason == StartReason::Injection || reason == StartReason::CudaCall) {
    HookGuard guard{HookGuard::AnyWindow{}};
    if (guard.recording()) start_cuda(guard);
  }
  return is_on();
}

bool join_parent() noexcept {
  const int kept = errno;
  const bool on =
      parent_is_recording() && start_recording(StartReason::ParentRecords) && is_recording();
  errno = kept;
  return on;
}

void turn_off(const char* why) noexcept {
  turn_off_quietly();
  diag(why, true);
}

void diag(const char* text, bool always) noexcept {
  static std::atomic<bool> said{false};
  if ((!always && !g_settings.verbose) || said.exchange(true)) return;
  char line[400];
  const int n = std::snprintf(line, sizeof line, "gpustall: %s\n", text);
  if (n > 0) sys::write(2, line, static_cast<size_t>(n) < sizeof line ? n : sizeof line - 1);
}

void flush_recording() noexcept {
  hurry_helpers();
  g_process->file.drain();
}

void finish_recording() noexcept {
  if (!is_on()) return;
  if (!g_process->file.is_open()) {  // a forked child that recorded nothing
    turn_off_quietly();
    return;
  }
  finish_helpers();
  {
    HookGuard guard{HookGuard::AnyWindow{}};
    if (guard.recording()) {
      flush_all_short_waits(guard);
      write_thread_record(guard);
      write_clock(guard);
    }
  }
  State on = State::On;
  if (!g_state.compare_exchange_strong(on, State::Stopping)) return;
  g_recording.store(false, std::memory_order_relaxed);
  g_process->file.finish();
}

}  // namespace gpustall::interpose
