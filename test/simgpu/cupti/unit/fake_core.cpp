// See fake_core.h.
#include "fake_core.h"

#include <time.h>

#include <atomic>

namespace simgpu {
namespace {

CuptiHooks g_hooks;
std::atomic<int64_t> g_ahead_ns{0};
std::atomic<uint32_t> g_next_correlation{100};
thread_local uint32_t t_depth = 0, t_correlation = 0;

}  // namespace

void set_cupti_hooks(const CuptiHooks& hooks) {
  g_hooks = hooks;
}

int64_t now_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec + g_ahead_ns.load();
}

ApiScope::ApiScope(ApiDomain domain, uint32_t cbid, const char* name, const void* params,
                   const char* symbol)
    : call_{} {
  if (t_depth++ == 0) t_correlation = g_next_correlation++;
  call_.domain = domain;
  call_.cbid = cbid;
  call_.name = name;
  call_.params = params;
  call_.symbol = symbol;
  call_.correlation = t_correlation;
  call_.context_uid = 1;
  g_hooks.api_enter(&call_);
}

ApiScope::~ApiScope() {
  g_hooks.api_exit(&call_);
  --t_depth;
}

void announce(const Activity& activity) {
  g_hooks.activity(activity);
}

namespace test {

void advance_clock(int64_t ns) {
  g_ahead_ns += ns;
}

void resource(ResourceEvent event, void* context, uint32_t uid, void* handle, uint32_t stream_uid) {
  g_hooks.resource(event, context, uid, handle, stream_uid);
}

Activity kernel(int64_t begin, int64_t end, const char* name) {
  Activity a{};
  a.kind = ActivityKind::Kernel;
  a.context = 1;
  a.stream = 7;
  a.correlation = 42;
  const int64_t now = now_ns();
  a.start_ns = now + begin;
  a.end_ns = now + end;
  a.name = name;
  a.grid[0] = 3;
  a.grid[1] = a.grid[2] = 1;
  a.block[0] = 128;
  a.block[1] = a.block[2] = 1;
  return a;
}

}  // namespace test
}  // namespace simgpu
