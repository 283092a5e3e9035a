// Rows about threads that are no calls: when they had a CPU, what the profiler cost them.
#include <algorithm>
#include <numeric>

#include "collector/import/nsys_rows.h"
#include "collector/import/nsys_words.h"

namespace gpustall::collect {
namespace {

struct Switch {
  ThreadIndex thread{};
  TraceTime time = 0;
  bool in = false;
};

void add_sample(Samples& out, const Switch& s, uint64_t cpu_ns) {
  out.thread.push_back(s.thread);
  out.time.push_back(s.time);
  out.stack.push_back(kNone<StackId>);
  // What a thread does without a CPU, waiting or queueing for one, is not recorded.
  out.state.push_back(s.in ? trace::ThreadRunState::Running : trace::ThreadRunState::Unknown);
  out.cpu_ns.push_back(cpu_ns);
  out.runnable_ns.push_back(0);
  out.major_faults.push_back(0);
  out.minor_faults.push_back(0);
  out.system_ns.push_back(0);
  out.flags.push_back(0);
}

}  // namespace

void read_nsys_scheduling(NsysState& state) {
  std::vector<Switch> switches;
  const bool there =
      state.read("SCHED_EVENTS", {"start", "isSchedIn", "globalTid"}, [&](const NsysRow& row) {
        const std::optional<int64_t> time = row.integer(0);
        const std::optional<int64_t> id = row.integer(2);
        if (!time || !id || !state.is_time(*time)) return state.reject();
        if (!state.knows_process(*id)) return;
        const auto thread = state.thread(id);
        if (thread) switches.push_back({*thread, *time, row.integer_or(1, 0) != 0});
      });
  if (!there) {
    state.r.not_observed.push_back(
        "whether threads were running or waiting for a core"
        " (record with --cpuctxsw=process-tree)");
    return;
  }
  std::stable_sort(switches.begin(), switches.end(), [](const Switch& a, const Switch& b) {
    return a.thread != b.thread ? raw(a.thread) < raw(b.thread) : a.time < b.time;
  });
  uint64_t cpu_ns = 0;
  for (size_t i = 0; i < switches.size(); ++i) {
    const bool same_thread = i > 0 && switches[i - 1].thread == switches[i].thread;
    if (!same_thread) cpu_ns = 0;
    if (same_thread && switches[i - 1].in)
      cpu_ns += static_cast<uint64_t>(switches[i].time - switches[i - 1].time);
    add_sample(state.r.samples, switches[i], cpu_ns);
  }
}

void read_nsys_overheads(NsysState& state) {
  state.read("PROFILER_OVERHEAD", {"start", "end", "globalTid", "?overheadType", "?nameId"},
             [&](const NsysRow& row) {
               const std::optional<NsysTimes> at = state.times(row, 0, 1);
               const std::optional<ThreadIndex> thread =
                   at ? state.thread(row.integer(2)) : std::nullopt;
               if (!thread) return state.reject();
               const std::optional<int64_t> type = row.integer(3);
               const OverheadKind kind =
                   type ? overhead_of(*type) : overhead_of(state.text(row.integer_or(4, -1)));
               state.r.overheads.push_back(
                   {state.process_of(*thread), *thread, kind, at->start, at->end, 0});
             });
}

}  // namespace gpustall::collect
