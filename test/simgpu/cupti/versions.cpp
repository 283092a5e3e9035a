// The table of versions. Sizes: strides of cuptiActivityGetNextRecord measured on the
// libraries 11.8.87, 12.4.127, 12.8.90 and 13.0.85; 13.3 and 13.4 answer nothing without a driver,
// so theirs are the sizes of the newest structs of their headers.
#include "versions.h"

#include <cupti_activity.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "settings.h"

#ifndef GPUSTALL_SIM_CUPTI_VERSION
#define GPUSTALL_SIM_CUPTI_VERSION "13.0"
#endif

namespace simgpu::cupti {
namespace {

constexpr VersionProfile kProfiles[] = {
    // name, version, kernel, memcpy, p2p, memset, sync, graph, overhead, context, per-thread, fatal
    // null
    {"11.8", 18, 200, 88, 96, 88, 40, 48, 40, 16, false, true},
    {"12.4", 22, 208, 88, 96, 88, 40, 56, 56, 24, false, true},
    {"12.8", 26, 208, 96, 96, 88, 56, 56, 56, 32, false, true},
    {"13.0", 130001, 216, 96, 96, 88, 56, 56, 56, 32, true, false},
    {"13.3", 130301, 232, 96, 96, 88, 56, 56, 56, 32, true, false},
    {"13.4", 130401, 248, 112, 96, 104, 56, 56, 56, 40, true, false},
};

const VersionProfile* chosen() {
  const std::string& wanted = settings().version;
  const std::string_view name =
      wanted.empty() ? GPUSTALL_SIM_CUPTI_VERSION : std::string_view(wanted);
  const VersionProfile* found = find_profile(name);
  if (found == nullptr) {
    std::fprintf(stderr, "simgpu libcupti: GPUSTALL_SIM_CUPTI: no profile for version '%.*s'\n",
                 static_cast<int>(name.size()), name.data());
    std::abort();
  }
  return found;
}

}  // namespace

const VersionProfile* find_profile(std::string_view name) {
  for (const VersionProfile& entry : kProfiles) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

namespace {
std::atomic<const VersionProfile*> g_profile{nullptr};
}

void select_profile() {
  g_profile = chosen();
}

const VersionProfile& profile() {
  const VersionProfile* current = g_profile.load(std::memory_order_acquire);
  if (current != nullptr) return *current;
  select_profile();
  return *g_profile;
}

size_t record_size(uint32_t kind) {
  const VersionProfile& p = profile();
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return p.kernel;
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return p.memcpy;
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return p.memcpy_p2p;
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return p.memset;
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return p.sync;
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return p.graph_trace;
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return p.overhead;
    case CUPTI_ACTIVITY_KIND_CONTEXT:
      return p.context;
    case CUPTI_ACTIVITY_KIND_STREAM:
      return sizeof(CUpti_ActivityStream);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return sizeof(CUpti_ActivityExternalCorrelation);
    default:
      return 0;
  }
}

}  // namespace simgpu::cupti
