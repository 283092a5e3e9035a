// Load, fork, cuptiFinalize. Loading takes microseconds and starts no thread: the library is mapped
// into every process that imports torch.
#include <pthread.h>

#include <atomic>

#include "callbacks.h"
#include "clock.h"
#include "hidden_symbols.h"
#include "kinds.h"
#include "queue.h"
#include "settings.h"
#include "subscribers.h"
#include "switches.h"
#include "versions.h"

namespace simgpu::cupti {
namespace {

std::atomic<bool> g_used{false}, g_forked{false};

// Before its first use the library has nothing that a child would lack.
void in_child() {
  if (g_used) g_forked = true;
}

__attribute__((constructor)) void on_load() {
  select_profile();
  record_clock();  // fixes the offset of record time
  if (!settings().missing.empty()) hide_symbols(settings().missing);
  pthread_atfork(nullptr, nullptr, &in_child);
  set_cupti_hooks({&on_api_enter, &on_api_exit, &on_activity, &on_resource});
}

}  // namespace

void note_use() {
  g_used.store(true, std::memory_order_relaxed);
}

bool forked_child() {
  return g_forked.load(std::memory_order_relaxed);
}

}  // namespace simgpu::cupti

using namespace simgpu::cupti;

CUptiResult cuptiGetVersion(uint32_t* version) {
  if (version == nullptr) return leave(CUPTI_ERROR_INVALID_PARAMETER);
  *version = profile().api_version;
  return leave(CUPTI_SUCCESS);
}

// Detaches: nothing is delivered any more; buffers go back to their owners empty. May be used
// again.
CUptiResult cuptiFinalize() {
  GPUSTALL_CUPTI_GATE();
  drop_subscriber();
  disable_all_kinds();
  reset_switches();
  for (RecordQueue* queue : all_queues()) queue->clear();
  return leave(CUPTI_SUCCESS);
}
