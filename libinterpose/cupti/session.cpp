// Attaching to CUPTI and letting go of it. Everything here runs on the thread that initialises
// CUDA, on a thread of the program that is about to use CUPTI itself, or on the helper; never
// inside a buffer or resource callback.
#include "libinterpose/cupti/session.h"

#include <pthread.h>

#include <cstdio>

#include "libinterpose/cupti/activities.h"
#include "libinterpose/cupti/cards.h"
#include "libinterpose/cupti/device_clock.h"
#include "libinterpose/cupti/devices.h"
#include "libinterpose/cupti/program_use.h"
#include "libinterpose/cupti/refusal.h"
#include "libinterpose/cupti/subscription.h"
#include "libinterpose/fork.h"
#include "libinterpose/helper.h"
#include "libinterpose/recorder.h"
#include "libinterpose/settings.h"

namespace gpustall::interpose::cupti {

std::atomic<Mode> g_mode{Mode::Off};

namespace {

// No RUNTIME or DRIVER kind: callbacks of the listed ids suffice, those two are mostly
// cudaGetDevice.
constexpr CUpti_ActivityKind kKinds[] = {
    CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
    CUPTI_ACTIVITY_KIND_MEMCPY2,           CUPTI_ACTIVITY_KIND_MEMSET,
    CUPTI_ACTIVITY_KIND_GRAPH_TRACE,       CUPTI_ACTIVITY_KIND_OVERHEAD,
    CUPTI_ACTIVITY_KIND_SYNCHRONIZATION};

constexpr int64_t kFlushNs = 100000000;
constexpr unsigned kEarlyFlushes = 5, kFlushEvery = 5;
constexpr int64_t kResumeNs = 50000000;
constexpr int64_t kCardsNs = 1000000000;
constexpr uint32_t kFlushPeriodMs = 1000;

CuptiApi g_api;
const char* g_missing = nullptr;  // a required entry that the library lacks
std::atomic<uint32_t> g_session{0};
std::atomic<bool> g_context_seen{false};
int64_t g_stack_ticks = INT64_MAX;
bool g_own_clock = false;  // we gave CUPTI a clock in place of the program's
pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;

void set_attribute(CUpti_ActivityAttribute attribute, uint8_t value) noexcept {
  size_t size = sizeof value;
  if (g_api.ActivitySetAttribute != nullptr) g_api.ActivitySetAttribute(attribute, &size, &value);
}

// CUPTI's own default clock, for after a program that gave it another one and left.
uint64_t CUPTIAPI realtime_clock() noexcept {
  return static_cast<uint64_t>(read_clock_ns(CLOCK_REALTIME));
}

CUptiResult enable_activities() noexcept {
  const auto timestamps = g_api.ActivityRegisterTimestampCallback;
  if (program_use().timestamps != nullptr && timestamps != nullptr) {
    g_own_clock = timestamps(realtime_clock) == CUPTI_SUCCESS;
  }
  route_buffers_to_program(false);
  CUptiResult result = g_api.ActivityRegisterCallbacks(buffer_requested, buffer_completed);
  if (result != CUPTI_SUCCESS) return result;
  set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, 1);
  for (const CUpti_ActivityKind kind : kKinds) {
    // Kernels are what it is all for; an older library or driver may lack the others.
    const CUptiResult one = g_api.ActivityEnable(kind);
    if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && one != CUPTI_SUCCESS) result = one;
  }
  if (result == CUPTI_SUCCESS && g_api.ActivityFlushPeriod != nullptr)
    g_api.ActivityFlushPeriod(kFlushPeriodMs);
  return result;
}

void disable_activities() noexcept {
  for (const CUpti_ActivityKind kind : kKinds) g_api.ActivityDisable(kind);
  if (context_seen()) {
    g_api.ActivityFlushAll(0);
    // What is unfinished comes back as well, with zero times (counted): a half-filled buffer of
    // ours must not collect the program's records.
    g_api.ActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  }
  if (g_api.ActivityFlushPeriod != nullptr) g_api.ActivityFlushPeriod(0);
  // The program's buffers are not zeroed.
  set_attribute(CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER, 0);
}

// Subscribes and enables all; on failure everything is undone.
CUptiResult attach() noexcept {
  CUptiResult result = join_subscription();
  if (result != CUPTI_SUCCESS) return result;
  result = enable_activities();
  if (result != CUPTI_SUCCESS) {
    disable_activities();
    leave_subscription();
    return result;
  }
  g_session.fetch_add(1, std::memory_order_relaxed);
  g_mode.store(Mode::Active, std::memory_order_release);
  set_header_flag(trace::kCuptiActive);
  return CUPTI_SUCCESS;
}

void detach() noexcept {
  g_mode.store(Mode::Yielded, std::memory_order_release);
  disable_activities();
  leave_subscription();
  if (g_own_clock) g_api.ActivityRegisterTimestampCallback(program_use().timestamps);
  g_own_clock = false;
  route_buffers_to_program(true);
}

void describe_process() noexcept {
  static bool done = false;  // helper thread only
  trace::FileHeader* header = file_header();
  if (done || header == nullptr) return;
  done = true;
  __atomic_store_n(&header->cupti_version, g_api.version, __ATOMIC_RELAXED);
  __atomic_store_n(&header->cuda_driver_version, driver_version(), __ATOMIC_RELAXED);
  if (runtime_is_simulated()) set_header_flag(trace::kSimulated);
}

unsigned g_flush_turn = 0;  // helper thread only, once it runs

void flush(HookGuard& guard, Round round) noexcept {
  if (!context_seen()) return;
  FlushScope scope(guard);
  g_api.ActivityFlushAll(0);
  if (round == Round::Last) g_api.ActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  count_dropped(nullptr, 0);
  sample_device_clock(guard);
  describe_devices(guard);
  describe_process();
}

// Often, since it is cheap: the device goes unobserved until the program's end with CUPTI is
// noticed.
void resume_job(HookGuard& guard, Round round) noexcept {
  if (round != Round::Periodic || g_mode.load(std::memory_order_acquire) != Mode::Yielded) return;
  if (pthread_mutex_trylock(&g_lock) != 0) return;
  if (program_is_done()) resume_session(guard);
  pthread_mutex_unlock(&g_lock);
}

// Each of the first rounds: a process that is killed young has handed over something.
void flush_job(HookGuard& guard, Round round) noexcept {
  if (round == Round::Periodic && g_flush_turn++ >= kEarlyFlushes &&
      g_flush_turn % kFlushEvery != 0)
    return;
  if (!is_active()) return;
  // Somebody attaches or detaches: that takes care of the buffers too.
  if (pthread_mutex_trylock(&g_lock) != 0) return;
  if (is_active()) flush(guard, round);
  pthread_mutex_unlock(&g_lock);
}

void refuse(HookGuard& guard, trace::NoticeKind kind, int64_t code, const char* text) noexcept {
  g_mode.store(Mode::Refused, std::memory_order_release);
  notice(guard, kind, code, text);
}

void attach_or_refuse(HookGuard& guard) noexcept {
  // CUPTI starts a thread, locks and waits: hooks that must not count as entered from our own code.
  ThreadState& thread = guard.thread();
  const bool inert = thread.inert;
  thread.inert = true;
  const CUptiResult result = attach();
  thread.inert = inert;
  if (result != CUPTI_SUCCESS)
    refuse(guard, trace::NoticeKind::CuptiRefused, result, refusal_text(result, is_forked()));
}

}  // namespace

SessionLock::SessionLock() noexcept {
  pthread_mutex_lock(&g_lock);
}
SessionLock::~SessionLock() noexcept {
  pthread_mutex_unlock(&g_lock);
}

const CuptiApi& api() noexcept {
  return g_api;
}

bool ensure_api(bool load) noexcept {
  if (g_api.library != nullptr) return g_missing == nullptr;
  void* library = find_cupti(load);
  return library != nullptr && fill_api(g_api, library, &g_missing);
}

uint32_t session_number() noexcept {
  return g_session.load(std::memory_order_relaxed);
}
int64_t stack_threshold() noexcept {
  return g_stack_ticks;
}
void note_context() noexcept {
  g_context_seen.store(true, std::memory_order_relaxed);
}
bool context_seen() noexcept {
  return g_context_seen.load(std::memory_order_relaxed);
}

void start_session(HookGuard& guard) noexcept {
  SessionLock lock;
  if (g_mode.load() != Mode::Off) return;
  using trace::NoticeKind;
  if (!g_settings.cupti)
    return refuse(guard, NoticeKind::CuptiMissing, 0, "CUPTI is off (GPUSTALL_CUPTI=0)");
  if (!ensure_api(true))
    return refuse(guard, NoticeKind::CuptiMissing, 0,
                  g_missing != nullptr ? g_missing : "no libcupti in this process");
  g_stack_ticks = ticks_from_ns(g_settings.stack_ns);
  g_flush_turn = 0;
  add_device_job(flush_job, kFlushNs);
  add_device_job(resume_job, kResumeNs);
  add_device_job(cards_job, kCardsNs);
  if (!program_use().in_use()) return attach_or_refuse(guard);
  g_mode.store(Mode::Yielded, std::memory_order_release);
  route_buffers_to_program(true);
  notice(guard, NoticeKind::CuptiYielded, 0, "the program was using CUPTI before the recording");
}

void yield_session(const char* call) noexcept {
  if (g_mode.load() != Mode::Active) return;
  detach();
  HookGuard guard{HookGuard::AnyWindow{}};
  if (guard.recording()) notice(guard, trace::NoticeKind::CuptiYielded, 0, call);
}

void resume_session(HookGuard& guard) noexcept {
  if (g_mode.load() != Mode::Yielded) return;
  attach_or_refuse(guard);
  if (is_active()) notice(guard, trace::NoticeKind::CuptiResumed, 0, "the program has left CUPTI");
}

void forget_session() noexcept {
  g_lock = PTHREAD_MUTEX_INITIALIZER;
  // Where neither we nor the parent came to use it, the child can.
  if (g_mode.load(std::memory_order_relaxed) == Mode::Off && program_use().last_ns == 0) return;
  g_mode.store(Mode::Dead, std::memory_order_relaxed);
}

}  // namespace gpustall::interpose::cupti
