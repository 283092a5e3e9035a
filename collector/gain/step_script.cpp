#include "collector/gain/step_script.h"

#include <algorithm>

#include "collector/analyze/by_thread.h"

namespace gpustall::collect {
namespace {

class Workers {
 public:
  Workers(const ScriptInput& input, const Steps& steps) : in_(input), steps_(steps) {}

  void run(StepScript& out) {
    out.workers = in_.workers.at_once(steps_.process);
    std::vector<std::vector<ScriptPiece>> by_step(steps_.boundary.size());
    for (const LoaderWorkers::Worker& worker : in_.workers.workers(steps_.process)) {
      if (worker.main == kNone<ThreadIndex>) continue;
      add(worker, by_step);
    }
    for (const auto& pieces : by_step) {
      out.first.push_back(static_cast<uint32_t>(out.pieces.size()));
      out.pieces.insert(out.pieces.end(), pieces.begin(), pieces.end());
    }
    out.first.push_back(static_cast<uint32_t>(out.pieces.size()));
  }

 private:
  void add(const LoaderWorkers::Worker& worker, std::vector<std::vector<ScriptPiece>>& by_step) {
    const Process& process = in_.base.recording.processes[raw(worker.process)];
    TraceTime from = process.first_ns;
    for (size_t j = 0; j < steps_.boundary.size() && from < process.last_ns; ++j) {
      const TraceTime to = std::min(steps_.boundary[j], process.last_ns);
      if (to <= from) continue;
      pieces_.clear();
      in_.workers.states(worker, from, to, kNone<StackId>, pieces_);
      for (const HostPiece& p : pieces_)
        if (!waits_for_work(worker.main, p))
          by_step[j].push_back({p.end - p.start, p.cause, in_.base.facts.site(p.stack)});
      from = to;
    }
  }

  // Between two batches: in the worker's own loop, not in the dataset's code.
  bool waits_for_work(ThreadIndex thread, const HostPiece& piece) const {
    const ThreadSegments& s = in_.segments;
    const uint32_t i = s.at(thread, piece.start);
    if (i >= s.first[raw(thread) + 1] || s.kind[i] != SegmentKind::Wait || s.start[i] > piece.start)
      return false;
    return in_.workers.waits_for_index(s.stack[i]);
  }

  const ScriptInput& in_;
  const Steps& steps_;
  HostPieces pieces_;
};

// A boundary lies at a call's start or end: that call's thread goes past it.
class Boundaries {
 public:
  explicit Boundaries(const Recording& recording)
      : c_(recording.calls), first_(first_by_thread(c_, recording.threads.size())) {}
  bool touches(ThreadIndex thread, TraceTime boundary) const {
    const auto begin = c_.start.begin() + first_[raw(thread)];
    const auto end = c_.start.begin() + first_[raw(thread) + 1];
    const auto after = std::upper_bound(begin, end, boundary);
    if (after == begin) return false;
    const auto call = static_cast<size_t>(std::prev(after) - c_.start.begin());
    return boundary - c_.start[call] <= 1 || c_.end[call] == boundary;
  }

 private:
  const Calls& c_;
  std::vector<uint32_t> first_;  // by thread
};

ThreadIndex main_thread(const Recording& r, ProcessIndex process) {
  ThreadIndex any{};
  for (uint32_t t = static_cast<uint32_t>(r.threads.size()); t-- > 0;) {
    if (r.threads[t].process != process) continue;
    any = ThreadIndex(t);
    if (r.threads[t].tid == r.processes[raw(process)].pid) return any;
  }
  return any;
}

}  // namespace

StepScript build_step_script(const ScriptInput& input, const Steps& steps) {
  const Recording& r = input.base.recording;
  StepScript out;
  out.process = steps.process;
  out.main = main_thread(r, steps.process);
  const Boundaries boundaries(r);
  for (TraceTime b : steps.boundary) {
    ThreadIndex by = out.main;
    if (!boundaries.touches(by, b))
      for (uint32_t t = 0; t < r.threads.size(); ++t)
        if (r.threads[t].process == steps.process && boundaries.touches(ThreadIndex(t), b))
          by = ThreadIndex(t);
    out.passed_by.push_back(by);
  }
  Workers(input, steps).run(out);
  if (out.workers == 0) return out;
  out.batch_came.resize(steps.boundary.size());
  for (uint32_t i = 0; i < r.waits.size(); ++i) {
    if (r.waits.thread[i] != out.main || !input.reader.waits_for_loader(i)) continue;
    const auto next =
        std::lower_bound(steps.boundary.begin(), steps.boundary.end(), r.waits.end[i]);
    if (next != steps.boundary.end())
      out.batch_came[static_cast<size_t>(next - steps.boundary.begin())] = r.waits.end[i];
  }
  return out;
}

}  // namespace gpustall::collect
