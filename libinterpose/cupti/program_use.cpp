// The hooks on CUPTI functions. libtorch_cpu calls them through its PLT, so a preloaded gpustall is
// asked first; our own calls go through the table of cupti_api.h and never come here. A hook
// returns what the real function returns; without a libcupti in the process it answers
// NOT_INITIALIZED.
#include "libinterpose/cupti/program_use.h"

#include "libinterpose/clock.h"
#include "libinterpose/cupti/activities.h"
#include "libinterpose/cupti/session.h"

namespace gpustall::interpose::cupti {
namespace {

ProgramUse g_use;

constexpr int64_t kIdleNs = 2000000000;

// One call of the program: we are detached before it and notice afterwards whether it was the last.
class ProgramCall {
 public:
  // Null name: a call that does not disturb us.
  explicit ProgramCall(const char* name) noexcept {
    const int saved = errno;
    SessionLock lock;
    found_ = ensure_api(false);
    if (found_ && name != nullptr) yield_session(name);
    ++g_use.pending;
    g_use.last_ns = read_clock_ns(CLOCK_MONOTONIC);
    errno = saved;
  }
  ~ProgramCall() noexcept {
    const int saved = errno;
    SessionLock lock;
    --g_use.pending;
    if (g_use.flushed && !g_use.in_use()) resume_session();
    errno = saved;
  }
  ProgramCall(const ProgramCall&) = delete;
  ProgramCall& operator=(const ProgramCall&) = delete;

  bool found() const noexcept { return found_; }

 private:
  bool found_;
};

void mark_kind(CUpti_ActivityKind kind, bool enabled) noexcept {
  const auto number = static_cast<uint32_t>(kind);
  if (number >= 128) return;
  SessionLock lock;
  const uint64_t bit = uint64_t{1} << (number % 64);
  if (enabled)
    g_use.kinds[number / 64] |= bit;
  else
    g_use.kinds[number / 64] &= ~bit;
  g_use.flushed = false;
}

void mark_subscriber(CUpti_SubscriberHandle subscriber) noexcept {
  SessionLock lock;
  g_use.subscriber = subscriber;
}

}  // namespace

ProgramUse& program_use() noexcept {
  return g_use;
}

bool program_is_done() noexcept {
  return !g_use.in_use() && read_clock_ns(CLOCK_MONOTONIC) - g_use.last_ns > kIdleNs;
}

}  // namespace gpustall::interpose::cupti

using namespace gpustall::interpose::cupti;

extern "C" {

CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                                    void* userdata) {
  ProgramCall call("cuptiSubscribe");
  if (!call.found()) return CUPTI_ERROR_NOT_INITIALIZED;
  const CUptiResult result = api().Subscribe(subscriber, callback, userdata);
  if (result == CUPTI_SUCCESS) mark_subscriber(*subscriber);
  return result;
}

CUptiResult CUPTIAPI cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
  ProgramCall call("cuptiUnsubscribe");
  if (!call.found()) return CUPTI_ERROR_NOT_INITIALIZED;
  const CUptiResult result = api().Unsubscribe(subscriber);
  if (result == CUPTI_SUCCESS) mark_subscriber(nullptr);
  return result;
}

CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind) {
  ProgramCall call("cuptiActivityEnable");
  if (!call.found()) return CUPTI_ERROR_NOT_INITIALIZED;
  const CUptiResult result = api().ActivityEnable(kind);
  if (result == CUPTI_SUCCESS) mark_kind(kind, true);
  return result;
}

CUptiResult CUPTIAPI cuptiActivityDisable(CUpti_ActivityKind kind) {
  ProgramCall call("cuptiActivityDisable");
  if (!call.found()) return CUPTI_ERROR_NOT_INITIALIZED;
  const CUptiResult result = api().ActivityDisable(kind);
  mark_kind(kind, false);
  return result;
}

CUptiResult CUPTIAPI cuptiActivityEnableContext(CUcontext context, CUpti_ActivityKind kind) {
  ProgramCall call("cuptiActivityEnableContext");
  if (!call.found() || api().ActivityEnableContext == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  const CUptiResult result = api().ActivityEnableContext(context, kind);
  if (result == CUPTI_SUCCESS) mark_kind(kind, true);
  return result;
}

CUptiResult CUPTIAPI cuptiActivityDisableContext(CUcontext context, CUpti_ActivityKind kind) {
  ProgramCall call("cuptiActivityDisableContext");
  if (!call.found() || api().ActivityDisableContext == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  const CUptiResult result = api().ActivityDisableContext(context, kind);
  mark_kind(kind, false);
  return result;
}

// CUPTI keeps one pair of buffer callbacks, the last one registered. Ours stay registered where we
// took part before, and pass the program's buffers through: none is lost to the wrong side, however
// late CUPTI returns it.
CUptiResult CUPTIAPI cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                                    CUpti_BuffersCallbackCompleteFunc complete) {
  ProgramCall call("cuptiActivityRegisterCallbacks");
  if (!call.found()) return CUPTI_ERROR_NOT_INITIALIZED;
  if (request == nullptr || complete == nullptr)
    return api().ActivityRegisterCallbacks(request, complete);
  set_program_buffers(request, complete);
  if (g_mode.load() != Mode::Yielded) return api().ActivityRegisterCallbacks(request, complete);
  return api().ActivityRegisterCallbacks(buffer_requested, buffer_completed);
}

CUptiResult CUPTIAPI
cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc timestamps) {
  ProgramCall call("cuptiActivityRegisterTimestampCallback");
  if (!call.found() || api().ActivityRegisterTimestampCallback == nullptr)
    return CUPTI_ERROR_NOT_INITIALIZED;
  const CUptiResult result = api().ActivityRegisterTimestampCallback(timestamps);
  SessionLock lock;
  if (result == CUPTI_SUCCESS) program_use().timestamps = timestamps;
  return result;
}

CUptiResult CUPTIAPI cuptiActivityFlushAll(uint32_t flag) {
  ProgramCall call(nullptr);
  if (!call.found()) return CUPTI_ERROR_NOT_INITIALIZED;
  const CUptiResult result = api().ActivityFlushAll(flag);
  SessionLock lock;
  program_use().flushed = true;
  return result;
}

CUptiResult CUPTIAPI cuptiFinalize(void) {
  ProgramCall call("cuptiFinalize");
  if (!call.found() || api().Finalize == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  const CUptiResult result = api().Finalize();
  SessionLock lock;
  program_use().subscriber = nullptr;
  program_use().kinds[0] = program_use().kinds[1] = 0;
  // Not `flushed`: CUPTI detaches asynchronously, so the helper comes back in its own time.
  program_use().flushed = false;
  return result;
}
}
