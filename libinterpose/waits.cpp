#include "libinterpose/waits.h"

#include <sys/prctl.h>

#include <cstring>

#include "libinterpose/dictionary.h"
#include "libinterpose/process.h"
#include "libinterpose/recorder.h"
#include "libinterpose/seams.h"
#include "libinterpose/settings.h"
#include "libinterpose/start.h"
#include "libinterpose/sys.h"
#include "libinterpose/wakers.h"
#include "libinterpose/window.h"

namespace gpustall::interpose {

WakerSlot g_wakers[kWakerSlots];

namespace {

int64_t g_wait_ticks = 0, g_stack_ticks = 0;
constexpr uint64_t kShortFlush = 4096;

// DataLoader names its workers' threads; seen late, since the name is set after the fork.
void notice_role() noexcept {
  trace::FileHeader* h = file_header();
  if (h == nullptr || h->role != static_cast<uint8_t>(trace::Role::Other)) return;
  char name[17] = {};
  if (::prctl(PR_GET_NAME, name) != 0) return;
  if (std::strncmp(name, "pt_data_worker", 14) == 0 || std::strncmp(name, "pt_multiproc", 12) == 0)
    __atomic_store_n(&h->role, static_cast<uint8_t>(trace::Role::LoaderWorker), __ATOMIC_RELAXED);
}

uint32_t object_id(HookGuard& guard, WaitObject object, bool is_long) noexcept {
  using trace::ObjectKind;
  switch (object.kind) {
    case ObjectKind::File:
      return is_long ? object_of_fd(guard, static_cast<int>(object.identity)) : 0;
    case ObjectKind::Condition:
      if (is_gil(object.identity)) return intern_object(guard, ObjectKind::Gil, 0, {});
      return intern_object(guard, object.kind, object.identity, {});
    case ObjectKind::Semaphore:
      return intern_object(guard, object.kind, object.identity, {});
    default:
      return 0;
  }
}

void count_short(HookGuard& guard, trace::WaitId wait, uint64_t duration) noexcept {
  ThreadState& t = guard.thread();
  const auto i = static_cast<size_t>(wait);
  ++t.short_count[i];
  t.short_ticks[i] += duration;
  if (++t.short_total >= kShortFlush) flush_short_waits(guard);
}

void write_wait(HookGuard& guard, trace::Wait& record, WaitObject object) noexcept {
  const bool is_long = record.duration >= static_cast<uint64_t>(g_stack_ticks);
  record.object = object_id(guard, object, is_long);
  if (object.kind == trace::ObjectKind::Semaphore || object.kind == trace::ObjectKind::Condition) {
    const Waker waker = find_waker(
        object.identity, record.start + static_cast<int64_t>(record.duration), record.duration);
    record.waker_tid = waker.tid;
    record.waker_lag = waker.tid == 0 ? 0 : waker.lag;
  }
  if (is_long) {
    record.stack = stacks::python_stack(guard);
    record.native_stack = stacks::native_stack(guard);
  }
  emit(guard, record);
  if (is_long) notice_role();
}

}  // namespace

void set_wait_thresholds() noexcept {
  g_wait_ticks = ticks_from_ns(g_settings.wait_ns);
  g_stack_ticks = ticks_from_ns(g_settings.stack_ns);
}

void record_wait(int64_t start, trace::WaitId wait, WaitObject object, int64_t result) noexcept {
  const int64_t end = now_ticks();
  const bool is_short = end - start < g_wait_ticks;
  // A short wait is no reason to attach a thread, or to open a forked child's file.
  ThreadState* known = tls_thread;
  if (known != nullptr) known->in_event.store(false, std::memory_order_relaxed);
  if (end_by_time(end)) return;
  if (is_short && (known == nullptr || known->tid.load(std::memory_order_relaxed) == 0)) return;
  HookGuard guard;
  if (!guard.recording()) return;
  ThreadState& t = guard.thread();
  if (is_short) {
    count_short(guard, wait, static_cast<uint64_t>(end - start));
  } else if (t.tid.load(std::memory_order_relaxed) == sys::tid()) {  // not in a child of vfork
    trace::Wait record{};
    record.wait = static_cast<uint64_t>(wait);
    record.start = start;
    record.duration = static_cast<uint64_t>(end - start);
    record.result = result;
    write_wait(guard, record, object);
    upkeep(guard, end);
    t.own_ticks += now_ticks() - end;
    ++t.own_calls;
  }
}

void record_affinity(int64_t start, int cpus) noexcept {
  const int64_t end = now_ticks();
  if (ThreadState* known = tls_thread; known != nullptr)
    known->in_event.store(false, std::memory_order_relaxed);
  HookGuard guard;
  if (!guard.recording() || guard.thread().tid.load(std::memory_order_relaxed) != sys::tid())
    return;
  trace::Wait record{};
  record.wait = static_cast<uint64_t>(trace::WaitId::SchedSetaffinity);
  record.start = start;
  record.duration = static_cast<uint64_t>(end - start);
  record.result = cpus;
  record.stack = stacks::python_stack(guard);
  record.native_stack = stacks::native_stack(guard);
  emit(guard, record);
}

void flush_short_waits(HookGuard& guard) noexcept {
  ThreadState& t = guard.thread();
  for (unsigned i = 0; t.short_total != 0 && i < kWaitIds; ++i) {
    if (t.short_count[i] == 0) continue;
    emit(guard, trace::ShortWaits{i, t.short_count[i], t.short_ticks[i]});
    t.short_count[i] = 0;
    t.short_ticks[i] = 0;
  }
  t.short_total = 0;
}

void flush_all_short_waits(HookGuard& guard) noexcept {
  uint64_t count[kWaitIds] = {}, ticks[kWaitIds] = {};
  for (ThreadState* t = first_thread(); t != nullptr; t = t->next) {
    for (unsigned i = 0; i < kWaitIds; ++i) {
      count[i] += t->short_count[i];
      ticks[i] += t->short_ticks[i];
    }
  }
  for (unsigned i = 0; i < kWaitIds; ++i)
    if (count[i] != 0) emit_shared(guard, trace::ShortWaits{i, count[i], ticks[i]});
}

}  // namespace gpustall::interpose
