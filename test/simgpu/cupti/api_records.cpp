// See api_records.h. Start times wait on a small stack per thread: calls nest at most runtime over
// driver, deeper ones (a library calling back) simply go unrecorded.
#include "api_records.h"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <vector>

#include "../core/raw_syscall.h"
#include "clock.h"
#include "kinds.h"
#include "queue.h"

namespace simgpu::cupti {
namespace {

struct OpenCall {
  const ApiCall* call;
  uint64_t start;
};
struct OpenCalls {
  std::array<OpenCall, 8> items;  // start times; calls nested deeper than this go unrecorded
  size_t depth;
  uint32_t runtime_depth;  // runtime calls around this point, recorded or not
};
thread_local OpenCalls t_open;

constexpr size_t kExternalKinds = CUPTI_EXTERNAL_CORRELATION_KIND_SIZE;
thread_local std::array<std::vector<uint64_t>, kExternalKinds> t_external;

std::atomic<CUpti_ActivityThreadIdType> g_thread_id_type{CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT};

CUpti_CallbackDomain domain_of(const ApiCall& call) {
  return static_cast<CUpti_CallbackDomain>(call.domain);
}

void push_external_records(const ApiCall& call, int64_t now) {
  if (!kind_enabled(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, call.context_uid)) return;
  for (size_t kind = 0; kind < kExternalKinds; ++kind) {
    if (t_external[kind].empty()) continue;
    const ExternalWork work{static_cast<CUpti_ExternalCorrelationKind>(kind),
                            t_external[kind].back(), call.correlation};
    queue_of_this_thread().push({CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, now, work});
  }
}

}  // namespace

void api_record_enter(const ApiCall& call) {
  const bool nested = t_open.runtime_depth > 0 && call.domain == ApiDomain::Driver;
  if (call.domain == ApiDomain::Runtime) ++t_open.runtime_depth;
  if (nested || t_open.depth == t_open.items.size()) return;
  if (!api_record_enabled(domain_of(call), call.cbid)) return;
  t_open.items[t_open.depth++] = {&call, record_clock().now()};
}

void api_record_exit(const ApiCall& call) {
  if (call.domain == ApiDomain::Runtime && t_open.runtime_depth > 0) --t_open.runtime_depth;
  if (t_open.depth == 0 || t_open.items[t_open.depth - 1].call != &call) return;
  const uint64_t start = t_open.items[--t_open.depth].start;
  const int64_t now = now_ns();
  push_external_records(call, now);
  const auto kind =
      call.domain == ApiDomain::Runtime ? CUPTI_ACTIVITY_KIND_RUNTIME : CUPTI_ACTIVITY_KIND_DRIVER;
  const ApiWork work{
      call.cbid, thread_id_for_records(), call.correlation, static_cast<uint32_t>(call.result),
      start,     record_clock().now()};
  queue_of_this_thread().push({kind, now, work});
}

uint32_t thread_id_for_records() {
  if (g_thread_id_type.load(std::memory_order_relaxed) == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM) {
    return static_cast<uint32_t>(raw_syscall(SYS_gettid));
  }
  return static_cast<uint32_t>(pthread_self());
}

}  // namespace simgpu::cupti

using namespace simgpu::cupti;

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
                                                   uint64_t id) {
  GPUSTALL_CUPTI_GATE();
  if (kind <= CUPTI_EXTERNAL_CORRELATION_KIND_INVALID ||
      static_cast<size_t>(kind) >= kExternalKinds) {
    return leave(CUPTI_ERROR_INVALID_PARAMETER);
  }
  t_external[kind].push_back(id);
  return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind,
                                                  uint64_t* last) {
  GPUSTALL_CUPTI_GATE();
  if (kind <= CUPTI_EXTERNAL_CORRELATION_KIND_INVALID ||
      static_cast<size_t>(kind) >= kExternalKinds) {
    return leave(CUPTI_ERROR_INVALID_PARAMETER);
  }
  std::vector<uint64_t>& stack = t_external[kind];
  if (stack.empty()) return leave(CUPTI_ERROR_QUEUE_EMPTY);
  if (last != nullptr) *last = stack.back();
  stack.pop_back();
  return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
  GPUSTALL_CUPTI_GATE();
  if (type < 0 || type >= CUPTI_ACTIVITY_THREAD_ID_TYPE_SIZE)
    return leave(CUPTI_ERROR_NOT_SUPPORTED);
  g_thread_id_type = type;
  return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiGetThreadIdType(CUpti_ActivityThreadIdType* type) {
  GPUSTALL_CUPTI_GATE();
  if (type == nullptr) return leave(CUPTI_ERROR_INVALID_PARAMETER);
  *type = g_thread_id_type;
  return leave(CUPTI_SUCCESS);
}
