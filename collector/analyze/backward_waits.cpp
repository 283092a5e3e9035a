#include "collector/analyze/backward_waits.h"

#include <algorithm>

namespace gpustall::collect {

BackwardWaits::BackwardWaits(const Recording& recording, const StackFacts& facts)
    : r_(recording), by_process_(recording.processes.size()) {
  const Waits& w = recording.waits;
  for (size_t i = 0; i < w.size(); ++i) {
    if (facts.callee(w.stack[i]) != Callee::Backward) continue;
    const ProcessIndex process = recording.threads[raw(w.thread[i])].process;
    by_process_[raw(process)].push_back({w.start[i], w.end[i], w.stack[i]});
  }
  for (auto& waits : by_process_)
    std::sort(waits.begin(), waits.end(),
              [](const Wait& a, const Wait& b) { return a.start < b.start; });
}

StackId BackwardWaits::effective(ThreadIndex thread, TraceTime time, StackId stack) const {
  if (stack != kNone<StackId>) return stack;
  const auto& waits = by_process_[raw(r_.threads[raw(thread)].process)];
  const auto after = std::upper_bound(waits.begin(), waits.end(), time,
                                      [](TraceTime t, const Wait& w) { return t < w.start; });
  // The waiter is woken for short moments (Python hooks that need the GIL); the wait just before
  // still tells the line as long as nothing else is known.
  return after == waits.begin() ? stack : std::prev(after)->stack;
}

}  // namespace gpustall::collect
