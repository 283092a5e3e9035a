// RESOURCE and SYNCHRONIZE callbacks, the CONTEXT and STREAM records, and what the id maps learn
// from them.
#include "resource_events.h"

#include <atomic>

#include "callbacks.h"
#include "identity.h"
#include "kinds.h"
#include "queue.h"
#include "subscribers.h"

namespace simgpu::cupti {
namespace {

thread_local Activity t_sync{};
thread_local bool t_sync_due = false;

void call_resource(CUpti_CallbackIdResource cbid, void* context, void* stream, void* descriptor) {
  if (!wants(CUPTI_CB_DOMAIN_RESOURCE, cbid)) return;
  CUpti_ResourceData data{};
  data.context = static_cast<CUcontext>(context);
  data.resourceHandle.stream = static_cast<CUstream>(stream);
  data.resourceDescriptor = descriptor;
  call_subscriber(CUPTI_CB_DOMAIN_RESOURCE, cbid, &data);
}

void call_module_loaded(void* context) {
  static std::atomic<uint32_t> next{1};
  CUpti_ModuleResourceData module{};
  module.moduleId = next.fetch_add(1, std::memory_order_relaxed);  // there is no cubin to show
  call_resource(CUPTI_CBID_RESOURCE_MODULE_LOADED, context, nullptr, &module);
}

void context_created(void* context, uint32_t uid) {
  static std::atomic<bool> initialised{false};
  learn_context(context, uid);
  if (!initialised.exchange(true)) {
    call_resource(CUPTI_CBID_RESOURCE_CU_INIT_FINISHED, nullptr, nullptr, nullptr);
  }
  call_resource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, context, nullptr, nullptr);
  if (kind_enabled(CUPTI_ACTIVITY_KIND_CONTEXT, uid)) {
    queue_of_this_thread().push({CUPTI_ACTIVITY_KIND_CONTEXT, now_ns(), ContextWork{uid, uid - 1}});
  }
}

void stream_created(void* context, uint32_t uid, void* stream, uint32_t stream_uid) {
  learn_stream(context, stream, stream_uid);
  call_resource(CUPTI_CBID_RESOURCE_STREAM_CREATED, context, stream, nullptr);
  if (kind_enabled(CUPTI_ACTIVITY_KIND_STREAM, uid)) {
    queue_of_this_thread().push(
        {CUPTI_ACTIVITY_KIND_STREAM, now_ns(), StreamWork{uid, stream_uid}});
  }
}

}  // namespace

void note_sync(const Activity& activity) {
  t_sync = activity;
  t_sync_due = true;
}

void fire_synchronized() {
  if (!t_sync_due) return;
  t_sync_due = false;
  CUpti_CallbackIdSync cbid = CUPTI_CBID_SYNCHRONIZE_INVALID;
  if (t_sync.sync_type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE) {
    cbid = CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED;
  } else if (t_sync.sync_type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE) {
    cbid = CUPTI_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED;
  }
  if (cbid == CUPTI_CBID_SYNCHRONIZE_INVALID || !wants(CUPTI_CB_DOMAIN_SYNCHRONIZE, cbid)) return;
  CUpti_SynchronizeData data{};
  data.context = static_cast<CUcontext>(context_handle(t_sync.context));
  if (cbid == CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED) {
    data.stream = static_cast<CUstream>(stream_handle(t_sync.stream));
  }
  call_subscriber(CUPTI_CB_DOMAIN_SYNCHRONIZE, cbid, &data);
}

void on_resource(ResourceEvent event, void* context, uint32_t uid, void* handle,
                 uint32_t stream_uid) {
  if (forked_child()) return;
  switch (event) {
    case ResourceEvent::ContextCreated:
      return context_created(context, uid);
    case ResourceEvent::StreamCreated:
      return stream_created(context, uid, handle, stream_uid);
    case ResourceEvent::ModuleLoaded:
      return call_module_loaded(context);
    case ResourceEvent::ContextDestroying:
      call_resource(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, context, nullptr, nullptr);
      return forget_context(context);
    case ResourceEvent::StreamDestroying:
      call_resource(CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING, context, handle, nullptr);
      return forget_stream(handle);
  }
}

}  // namespace simgpu::cupti
