#include "collector/analyze/call_owner.h"

#include <algorithm>

namespace gpustall::collect {
namespace {

constexpr int64_t kFirstUseNs = 100'000;  // a first launch that takes longer loads something
constexpr int64_t kSetUpNs = 20'000'000;  // and no call that asks or creates takes so long

Cause plain_cause(trace::CallClass cls) {
  switch (cls) {
    case trace::CallClass::Launch:
    case trace::CallClass::Graph:
    case trace::CallClass::Copy:
    case trace::CallClass::Set:
      return Cause::LaunchCall;
    case trace::CallClass::HostAlloc:
    case trace::CallClass::HostFree:
      return Cause::CopyPinCall;
    case trace::CallClass::Malloc:
    case trace::CallClass::Free:
      return Cause::AllocGrowth;
    case trace::CallClass::Module:
      return Cause::ColdModule;
    case trace::CallClass::Library:
    case trace::CallClass::Context:
      return Cause::ColdLibrary;
    case trace::CallClass::Profiler:
      return Cause::ToolOverhead;
    default:
      return Cause::LaunchDispatch;
  }
}

}  // namespace

CallOwners::CallOwners(const StallInput& input, const Stalls& stalls,
                       const std::vector<TraceTime>& steady_from) {
  const Calls& c = input.recording.calls;
  cause_.resize(c.size());
  for (size_t i = 0; i < c.size(); ++i) {
    set(i, plain_cause(trace::class_of(c.call[i])));
    if (c.call[i] == trace::Call::GraphInstantiate) set(i, Cause::ColdGraph);
    if (const auto owner = owner_of_all(input.facts.callee(c.stack[i]))) set(i, *owner);
  }
  mark_first_uses(input);
  mark_allocations(input, stalls, steady_from);
}

// The first launch of a kernel in a process loads its module, lazily, inside the call.
void CallOwners::mark_first_uses(const StallInput& input) {
  const Recording& r = input.recording;
  const Activities& a = r.activities;
  std::vector<std::vector<bool>> seen(r.processes.size());
  std::vector<uint32_t> order;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a.kind[i] != ActivityKind::Kernel || input.links.call_of[i] == kNoIndex) continue;
    auto& names = seen[raw(r.queues[raw(a.queue[i])].process)];
    names.resize(r.strings.size());
    if (names[raw(a.name[i])]) continue;
    names[raw(a.name[i])] = true;
    const uint32_t call = input.links.call_of[i];
    if (r.calls.end[call] - r.calls.start[call] > kFirstUseNs) set(call, Cause::ColdModule);
  }
  for (size_t i = 0; i < r.calls.size(); ++i) {
    const trace::CallClass cls = trace::class_of(r.calls.call[i]);
    const bool asks = cls == trace::CallClass::Stream || cls == trace::CallClass::Other ||
                      cls == trace::CallClass::Query || cls == trace::CallClass::EventRecord;
    if (asks && r.calls.end[i] - r.calls.start[i] > kSetUpNs &&
        r.calls.call[i] != trace::Call::LaunchHostFunc)
      set(i, Cause::ColdLibrary);
  }
}

void CallOwners::mark_allocations(const StallInput& input, const Stalls& stalls,
                                  const std::vector<TraceTime>& steady_from) {
  const Recording& r = input.recording;
  const Calls& c = r.calls;
  std::vector<uint32_t> order;  // frees and allocations of all threads, by time
  for (uint32_t i = 0; i < c.size(); ++i) {
    const trace::CallClass cls = trace::class_of(c.call[i]);
    if (cls == trace::CallClass::Malloc || cls == trace::CallClass::Free ||
        cls == trace::CallClass::HostAlloc)
      order.push_back(i);
  }
  std::sort(order.begin(), order.end(),
            [&](uint32_t x, uint32_t y) { return c.start[x] < c.start[y]; });
  struct Emptied {  // blocks that empty_cache() gave back and nobody has asked for again
    uint64_t blocks = 0;
    StackId stack = kNone<StackId>;
  };
  std::vector<Emptied> emptied(r.processes.size());
  for (uint32_t i : order) {
    const uint32_t process = raw(r.threads[raw(c.thread[i])].process);
    const bool warming = c.start[i] < steady_from[process];
    const trace::CallClass cls = trace::class_of(c.call[i]);
    if (cls == trace::CallClass::HostAlloc) {
      if (warming) set(i, Cause::ColdAlloc);
    } else if (cls == trace::CallClass::Free) {
      const uint32_t stall = stalls.of_call[i];
      if (stall == kNoIndex || stalls.all[stall].cause != Cause::AllocEmptyCache) continue;
      ++emptied[process].blocks;
      emptied[process].stack = stalls.all[stall].stack;
    } else if (emptied[process].blocks > 0) {
      --emptied[process].blocks;
      set(i, Cause::AllocEmptyCache);
      stack_[i] = emptied[process].stack;
    } else if (warming) {
      set(i, Cause::ColdAlloc);
    } else if (c.result[i] != 0) {
      set(i, Cause::AllocRetry);
    }
  }
}

}  // namespace gpustall::collect
