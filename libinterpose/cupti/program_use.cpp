// The hooks on CUPTI functions. libtorch_cpu calls them through its PLT, so a preloaded gpustall is
// asked first; our own calls go through the table of cupti_api.h and never come here. A hook
// returns what the real function returns; without a libcupti in the process it answers
// NOT_INITIALIZED.
#define CUPTI_LIB 1  // makes the headers declare CUPTI's functions with default visibility
#include "libinterpose/cupti/program_use.h"

#include "libinterpose/clock.h"
#include "libinterpose/cupti/activities.h"
#include "libinterpose/cupti/session.h"
#include "libinterpose/cupti/subscription.h"

namespace gpustall::interpose::cupti {
namespace {

ProgramUse g_use;

constexpr int64_t kIdleNs = 2000000000, kIdleAfterFlushNs = 50000000;

// One call of the program: we are detached before it. The helper notices when it was the last.
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
    g_use.last_ns = read_clock_ns(CLOCK_MONOTONIC);
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

}  // namespace

ProgramUse& program_use() noexcept {
  return g_use;
}

bool program_is_done() noexcept {
  if (g_use.in_use()) return false;
  const int64_t idle = read_clock_ns(CLOCK_MONOTONIC) - g_use.last_ns;
  return idle > (g_use.flushed ? kIdleAfterFlushNs : kIdleNs);
}

}  // namespace gpustall::interpose::cupti

using namespace gpustall::interpose::cupti;

extern "C" {

CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                                    void* userdata) {
  ProgramCall call("cuptiSubscribe");
  if (!call.found()) return CUPTI_ERROR_NOT_INITIALIZED;
  {
    SessionLock lock;
    program_subscribes({callback, userdata});
  }
  const CUptiResult result =
      api().Subscribe(subscriber, callback == nullptr ? nullptr : dispatch, userdata);
  SessionLock lock;
  program_subscribed(result, subscriber == nullptr ? nullptr : *subscriber);
  return result;
}

CUptiResult CUPTIAPI cuptiUnsubscribe(CUpti_SubscriberHandle subscriber) {
  ProgramCall call("cuptiUnsubscribe");
  if (!call.found()) return CUPTI_ERROR_NOT_INITIALIZED;
  const CUptiResult result = api().Unsubscribe(subscriber);
  SessionLock lock;
  if (result != CUPTI_SUCCESS) return result;
  program_unsubscribed();
  program_use().exclusive = false;
  return result;
}

// Since 13.0; the parameter struct is none of our business. One interface per process: while the
// program has this one, ours would be refused.
CUptiResult CUPTIAPI subscribe_v2(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                                  void* userdata, void* parameters) __asm__("cuptiSubscribe_v2")
    __attribute__((visibility("default"), used));
CUptiResult CUPTIAPI subscribe_v2(CUpti_SubscriberHandle* subscriber, CUpti_CallbackFunc callback,
                                  void* userdata, void* parameters) {
  ProgramCall call("cuptiSubscribe_v2");
  if (!call.found() || api().Subscribe_v2 == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  const CUptiResult result = api().Subscribe_v2(subscriber, callback, userdata, parameters);
  SessionLock lock;
  if (result == CUPTI_SUCCESS) program_use().exclusive = true;
  return result;
}

CUptiResult CUPTIAPI cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber,
                                         CUpti_CallbackDomain domain, CUpti_CallbackId cbid) {
  ProgramCall call(nullptr);
  if (!call.found()) return CUPTI_ERROR_NOT_INITIALIZED;
  const CUptiResult result = api().EnableCallback(enable, subscriber, domain, cbid);
  SessionLock lock;
  if (result == CUPTI_SUCCESS) program_enabled(enable, domain, cbid);
  return result;
}

CUptiResult CUPTIAPI cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle subscriber,
                                       CUpti_CallbackDomain domain) {
  ProgramCall call(nullptr);
  if (!call.found() || api().EnableDomain == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  const CUptiResult result = api().EnableDomain(enable, subscriber, domain);
  SessionLock lock;
  if (result == CUPTI_SUCCESS) program_enabled_domain(enable, domain);
  return result;
}

CUptiResult CUPTIAPI cuptiEnableAllDomains(uint32_t enable, CUpti_SubscriberHandle subscriber) {
  ProgramCall call(nullptr);
  if (!call.found() || api().EnableAllDomains == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  const CUptiResult result = api().EnableAllDomains(enable, subscriber);
  SessionLock lock;
  for (int domain = 1; result == CUPTI_SUCCESS && domain < CUPTI_CB_DOMAIN_SIZE; ++domain)
    program_enabled_domain(enable, static_cast<CUpti_CallbackDomain>(domain));
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

// Kineto sets one after its last flush; in the middle of a session of ours that would be undefined.
CUptiResult CUPTIAPI cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, size_t* size,
                                               void* value) {
  ProgramCall call("cuptiActivitySetAttribute");
  if (!call.found() || api().ActivitySetAttribute == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  return api().ActivitySetAttribute(attribute, size, value);
}

CUptiResult CUPTIAPI cuptiFinalize(void) {
  ProgramCall call("cuptiFinalize");
  if (!call.found() || api().Finalize == nullptr) return CUPTI_ERROR_NOT_INITIALIZED;
  const CUptiResult result = api().Finalize();
  SessionLock lock;
  program_unsubscribed();
  program_use().exclusive = false;
  program_use().kinds[0] = program_use().kinds[1] = 0;
  // Not `flushed`: CUPTI detaches asynchronously, so the helper comes back in its own time.
  program_use().flushed = false;
  return result;
}
}
