// API callbacks and device activities, on the thread that makes the call. Must stay cheap while
// nobody listens: a training step makes thousands of calls.
#include "callbacks.h"

#include <atomic>

#include "api_records.h"
#include "clock.h"
#include "identity.h"
#include "kinds.h"
#include "queue.h"
#include "resource_events.h"
#include "subscribers.h"
#include "switches.h"

namespace simgpu::cupti {
namespace {

void call_api_subscriber(ApiCall* call, CUpti_ApiCallbackSite site) {
  CUpti_CallbackData data{};
  data.callbackSite = site;
  data.functionName = call->name;
  data.functionParams = call->params;
  // Valid on exit only; null before, so that a client which looks too early is found out.
  data.functionReturnValue = site == CUPTI_API_EXIT ? &call->result : nullptr;
  data.symbolName = call->symbol;
  data.context = static_cast<CUcontext>(call->context);
  data.contextUid = call->context_uid;
  data.correlationData = &call->correlation_data;
  data.correlationId = call->correlation;
  call_subscriber(static_cast<CUpti_CallbackDomain>(call->domain), call->cbid, &data);
}

CUpti_ActivityKind enabled_or_none(CUpti_ActivityKind kind, const Activity& a) {
  return kind_enabled(kind, a.context) ? kind : CUPTI_ACTIVITY_KIND_INVALID;
}

// Which record, if any, this piece of work becomes.
CUpti_ActivityKind record_kind(const Activity& a) {
  // With graph-level tracing a launch is one record and its nodes are none.
  if (a.graph_node && kind_enabled(CUPTI_ACTIVITY_KIND_GRAPH_TRACE, a.context))
    return CUPTI_ACTIVITY_KIND_INVALID;
  switch (a.kind) {
    case ActivityKind::Kernel:
      if (kind_enabled(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, a.context))
        return CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
      return enabled_or_none(CUPTI_ACTIVITY_KIND_KERNEL, a);
    case ActivityKind::Memcpy:
      return enabled_or_none(a.copy_kind == CUPTI_ACTIVITY_MEMCPY_KIND_PTOP
                                 ? CUPTI_ACTIVITY_KIND_MEMCPY2
                                 : CUPTI_ACTIVITY_KIND_MEMCPY,
                             a);
    case ActivityKind::Memset:
      return enabled_or_none(CUPTI_ACTIVITY_KIND_MEMSET, a);
    case ActivityKind::GraphLaunch:
      return enabled_or_none(CUPTI_ACTIVITY_KIND_GRAPH_TRACE, a);
    case ActivityKind::Sync:
      return enabled_or_none(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, a);
    case ActivityKind::Overhead:
      return enabled_or_none(CUPTI_ACTIVITY_KIND_OVERHEAD, a);
  }
  return CUPTI_ACTIVITY_KIND_INVALID;
}

int64_t next_grid_id() {
  static std::atomic<int64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

void on_api_enter(ApiCall* call) {
  if (forked_child()) return;
  api_record_enter(*call);
  if (wants(static_cast<CUpti_CallbackDomain>(call->domain), call->cbid)) {
    call_api_subscriber(call, CUPTI_API_ENTER);
  }
}

void on_api_exit(ApiCall* call) {
  if (forked_child()) return;
  fire_synchronized();
  if (wants(static_cast<CUpti_CallbackDomain>(call->domain), call->cbid)) {
    call_api_subscriber(call, CUPTI_API_EXIT);
  }
  api_record_exit(*call);
}

void on_activity(const Activity& activity) {
  if (forked_child()) return;
  learn_device(activity.context, activity.device);
  if (activity.kind == ActivityKind::Sync) note_sync(activity);
  const CUpti_ActivityKind kind = record_kind(activity);
  if (kind == CUPTI_ACTIVITY_KIND_INVALID) return;
  DeviceWork work{activity, 0, thread_id_for_records(), 0};
  if (activity.kind == ActivityKind::Kernel) {
    work.grid_id = next_grid_id();
    if (latency_timestamps()) work.queued_stamp = record_clock().now();
  }
  queue_of_this_thread().push({kind, activity.end_ns, work});
}

}  // namespace simgpu::cupti
