// Correlation ids and the calls into the CUPTI stand-in.
#include "api_scope.h"

#include <atomic>

#include "device.h"
#include "hooks.h"
#include "truth_log.h"

namespace simgpu {
namespace {

CuptiHooks g_hooks;  // written once, before the first call that could read them
std::atomic<uint32_t> g_next_correlation{1};

struct ThreadCalls {
  uint32_t depth;
  uint32_t correlation;  // of the outermost call
};
thread_local ThreadCalls t_calls;

}  // namespace

GPUSTALL_SIM_API void set_cupti_hooks(const CuptiHooks& hooks) {
  g_hooks = hooks;
}

GPUSTALL_SIM_API ApiScope::ApiScope(ApiDomain domain, uint32_t cbid, const char* name,
                                    const void* params, const char* symbol)
    : call_{} {
  if (t_calls.depth++ == 0)
    t_calls.correlation = g_next_correlation.fetch_add(1, std::memory_order_relaxed);
  call_.domain = domain;
  call_.cbid = cbid;
  call_.name = name;
  call_.params = params;
  call_.symbol = symbol;
  call_.correlation = t_calls.correlation;
  if (!g_hooks.api_enter) return;
  Device& device = device_at(current_device());
  if (__atomic_load_n(&device.context_created, __ATOMIC_ACQUIRE)) {
    call_.context = device.context();
    call_.context_uid = device.context_uid;
  }
  g_hooks.api_enter(&call_);
}

GPUSTALL_SIM_API ApiScope::~ApiScope() {
  if (g_hooks.api_exit) g_hooks.api_exit(&call_);
  --t_calls.depth;
}

GPUSTALL_SIM_API void announce(const Activity& activity) {
  log_activity(activity);
  if (g_hooks.activity) g_hooks.activity(activity);
}

void announce_resource(ResourceEvent event, Device& device, void* handle, uint32_t stream_id) {
  if (g_hooks.resource)
    g_hooks.resource(event, device.context(), device.context_uid, handle, stream_id);
}

}  // namespace simgpu
