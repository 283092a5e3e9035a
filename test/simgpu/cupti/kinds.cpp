// cuptiActivityEnable and its relatives. Kinds that the stand-in does not model are refused with
// CUPTI_ERROR_INVALID_KIND: to accept them and stay silent would look like "nothing happened".
#include "kinds.h"

#include <array>
#include <atomic>
#include <map>
#include <mutex>

#include "bit_table.h"
#include "identity.h"
#include "versions.h"

namespace simgpu::cupti {
namespace {

constexpr size_t kKinds = 64;
std::array<std::atomic<bool>, kKinds> g_kinds{};
BitTable g_runtime, g_driver;

// Settings for one context win over the global ones; nearly nobody uses them, hence the flag in
// front.
std::atomic<bool> g_any_override{false};
std::mutex g_override_mutex;
std::map<std::pair<uint32_t, uint32_t>, bool>& overrides() {
  static auto* map = new std::map<std::pair<uint32_t, uint32_t>, bool>;
  return *map;
}

CUptiResult switch_kind(CUpti_ActivityKind kind, bool on) {
  GPUSTALL_CUPTI_GATE();
  if (kind < 0 || static_cast<size_t>(kind) >= kKinds) return leave(CUPTI_ERROR_INVALID_KIND);
  if (record_size(kind) == 0) return leave(CUPTI_ERROR_INVALID_KIND);
  // Serialised and concurrent kernel tracing exclude each other.
  if (on && kind == CUPTI_ACTIVITY_KIND_KERNEL && g_kinds[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL]) {
    return leave(CUPTI_ERROR_NOT_COMPATIBLE);
  }
  if (on && kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && g_kinds[CUPTI_ACTIVITY_KIND_KERNEL]) {
    return leave(CUPTI_ERROR_NOT_COMPATIBLE);
  }
  g_kinds[kind] = on;
  if (kind == CUPTI_ACTIVITY_KIND_RUNTIME) g_runtime.set_all(on);
  if (kind == CUPTI_ACTIVITY_KIND_DRIVER) g_driver.set_all(on);
  return leave(CUPTI_SUCCESS);
}

CUptiResult switch_for_context(CUcontext context, CUpti_ActivityKind kind, bool on) {
  GPUSTALL_CUPTI_GATE();
  uint32_t uid = 0;
  if (!context_uid(context, &uid)) return leave(CUPTI_ERROR_INVALID_CONTEXT);
  if (record_size(kind) == 0) return leave(CUPTI_ERROR_INVALID_KIND);
  const std::lock_guard lock(g_override_mutex);
  overrides()[{uid, kind}] = on;
  g_any_override = true;
  return leave(CUPTI_SUCCESS);
}

CUptiResult switch_api(BitTable& table, CUpti_CallbackId cbid, uint8_t enable) {
  GPUSTALL_CUPTI_GATE();
  if (cbid >= BitTable::kIds) return leave(CUPTI_ERROR_INVALID_PARAMETER);
  table.set(cbid, enable != 0);
  return leave(CUPTI_SUCCESS);
}

}  // namespace

bool kind_enabled(CUpti_ActivityKind kind, uint32_t uid) {
  if (g_any_override.load(std::memory_order_relaxed)) {
    const std::lock_guard lock(g_override_mutex);
    const auto found = overrides().find({uid, kind});
    if (found != overrides().end()) return found->second;
  }
  return g_kinds[kind].load(std::memory_order_relaxed);
}

bool api_record_enabled(CUpti_CallbackDomain domain, uint32_t cbid) {
  return (domain == CUPTI_CB_DOMAIN_RUNTIME_API ? g_runtime : g_driver).test(cbid);
}

void disable_all_kinds() {
  for (auto& kind : g_kinds) kind = false;
  g_runtime.set_all(false);
  g_driver.set_all(false);
  const std::lock_guard lock(g_override_mutex);
  overrides().clear();
  g_any_override = false;
}

}  // namespace simgpu::cupti

using namespace simgpu::cupti;

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  return switch_kind(kind, true);
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  return switch_kind(kind, false);
}

CUptiResult cuptiActivityEnableContext(CUcontext context, CUpti_ActivityKind kind) {
  return switch_for_context(context, kind, true);
}
CUptiResult cuptiActivityDisableContext(CUcontext context, CUpti_ActivityKind kind) {
  return switch_for_context(context, kind, false);
}

CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId cbid, uint8_t enable) {
  return switch_api(g_runtime, cbid, enable);
}
CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId cbid, uint8_t enable) {
  return switch_api(g_driver, cbid, enable);
}
