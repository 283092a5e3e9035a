// The hot path of the CUDA source: two stamps, a few loads and one encoded record per call; no
// lock, no allocation. On a launching thread every nanosecond here is added to the program (budget:
// 60 ns without stacks).
#include "libinterpose/cupti/callbacks.h"

#include "libinterpose/cupti/call_table.h"
#include "libinterpose/cupti/session.h"
#include "libinterpose/cupti/stream_ids.h"
#include "libinterpose/cupti/thread_part.h"
#include "libinterpose/recorder.h"
#include "libinterpose/seams.h"
#include "libinterpose/window.h"

namespace gpustall::interpose::cupti {
namespace {

using trace::CallClass;

static_assert(offsetof(CUpti_CallbackData, functionParams) == 16);
static_assert(offsetof(CUpti_CallbackData, context) == 40);
static_assert(offsetof(CUpti_CallbackData, correlationId) == 64);

// Calls that order or poll are many and cheap: their line of the program is seldom of interest.
bool wants_stack(CallClass cls) noexcept {
  return cls != CallClass::EventRecord && cls != CallClass::StreamWait && cls != CallClass::Query &&
         cls != CallClass::Other;
}

// Work that a call may trigger on the way (the first launch loads a module): worth a record of its
// own even inside another call.
bool is_side_work(CallClass cls) noexcept {
  return cls == CallClass::Module || cls == CallClass::Library || cls == CallClass::Context;
}

void enter(HookGuard& guard, CUpti_CallbackDomain domain, const CallRow& row,
           const CUpti_CallbackData& data) noexcept {
  CudaThread& thread = cuda_thread(guard.thread());
  // What is open from an earlier attachment has lost its exit; and the runtime never calls itself.
  const uint32_t session = session_number();
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API || thread.session != session) thread.open_calls = 0;
  thread.session = session;
  if (thread.open_calls == kMaxOpenCalls) return;
  const bool inside = thread.open_calls != 0;
  OpenCall& call = thread.calls[thread.open_calls++];
  call.correlation = data.correlationId;
  call.cbid = row.cbid;
  call.domain = static_cast<uint8_t>(domain);
  call.recorded = !inside || is_side_work(class_of(row.call));
  if (wants_stack(class_of(row.call)))
    guard.thread().in_event.store(true, std::memory_order_relaxed);
  call.start = now_ticks();
}

// Our own cost, measured on every sixteenth call: a stamp is a fifth of what it would measure.
void count_cost(ThreadState& thread, int64_t since) noexcept {
  constexpr uint64_t kEvery = 16;
  if (++thread.own_calls % kEvery == 0)
    thread.own_ticks += (now_ticks() - since) * static_cast<int64_t>(kEvery);
}

// The open call that this exit belongs to, closed; null: its enter was not seen.
const OpenCall* close_call(CudaThread& thread, CUpti_CallbackDomain domain,
                           const CUpti_CallbackData& data, uint32_t cbid) noexcept {
  for (uint32_t i = thread.open_calls; i-- > 0;) {
    const OpenCall& call = thread.calls[i];
    if (call.correlation != data.correlationId || call.cbid != cbid || call.domain != domain)
      continue;
    thread.open_calls = i;
    return &call;
  }
  return nullptr;
}

void exit(HookGuard& guard, CUpti_CallbackDomain domain, const CallRow& row,
          const CUpti_CallbackData& data, int64_t end) noexcept {
  CudaThread& thread = cuda_thread(guard.thread());
  const OpenCall* call = close_call(thread, domain, data, row.cbid);
  if (thread.open_calls == 0) guard.thread().in_event.store(false, std::memory_order_relaxed);
  if (call == nullptr || !call->recorded || !is_recording()) return;
  const bool inside = thread.open_calls != 0;
  const CallValues values = read_params(row, data.functionParams);
  trace::Api api;
  api.call = static_cast<uint64_t>(row.call);
  api.start = call->start;
  api.duration = end > call->start ? static_cast<uint64_t>(end - call->start) : 0;
  // Side work shares the outer call's id, which belongs to the outer call's activity.
  if (!inside || thread.calls[thread.open_calls - 1].correlation != data.correlationId)
    api.correlation = data.correlationId;
  if (values.has_stream) api.stream = stream_id(data.context, values.stream, row.per_thread);
  api.bytes = values.bytes;
  api.object = values.object;
  api.copy_kind = values.copy_kind;
  if (data.functionReturnValue != nullptr)
    api.result = *static_cast<const uint32_t*>(data.functionReturnValue);
  if (wants_stack(class_of(row.call))) {
    api.stack = stacks::python_stack(guard);
    if (static_cast<int64_t>(api.duration) >= stack_threshold())
      api.native_stack = stacks::native_stack(guard);
  }
  emit(guard, api);
  if (!context_seen() && data.context != nullptr) note_context();
  count_cost(guard.thread(), end);
}

// The window opens after cudaProfilerStart and closes before cudaProfilerStop.
void switch_window(trace::Call call, bool entering) noexcept {
  if (call == trace::Call::ProfilerStart && !entering) profiler_range(true);
  if (call == trace::Call::ProfilerStop && entering) profiler_range(false);
}

void on_resource(CUpti_CallbackId cbid, const CUpti_ResourceData& data) noexcept {
  if (cbid == CUPTI_CBID_RESOURCE_CONTEXT_CREATED) note_context();
  if (cbid == CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING)
    forget_stream(data.context, data.resourceHandle.stream);
}

}  // namespace

void on_callback(CUpti_CallbackDomain domain, CUpti_CallbackId cbid, const void* data) noexcept {
  if (!is_active() || data == nullptr) return;
  if (domain == CUPTI_CB_DOMAIN_RESOURCE)
    return on_resource(cbid, *static_cast<const CUpti_ResourceData*>(data));
  const CallRow* row = find_call(domain, cbid);
  if (row == nullptr) return;
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  const bool entering = call.callbackSite == CUPTI_API_ENTER;
  const int64_t now = entering ? 0 : now_ticks();  // the enter's stamp is taken last
  if (class_of(row->call) == CallClass::Profiler) switch_window(row->call, entering);
  // Outside the recording window the open calls are still followed, only not written.
  HookGuard guard{HookGuard::AnyWindow{}};
  if (!guard.recording()) return;
  if (entering)
    enter(guard, domain, *row, call);
  else
    exit(guard, domain, *row, call, now);
}

}  // namespace gpustall::interpose::cupti
