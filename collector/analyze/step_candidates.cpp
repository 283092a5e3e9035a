#include "collector/analyze/step_candidates.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace gpustall::collect {
namespace {

constexpr size_t kFewest = 3;  // occurrences that make a period

class Candidates {
 public:
  Candidates(const Recording& r, const Links& links, const StackFacts& facts, ProcessIndex process)
      : r_(r), links_(links), facts_(facts), process_(process) {}

  std::vector<StepCandidate> run(StepEvidence evidence) {
    switch (evidence) {
      case StepEvidence::ProfilerStep:
        profiler_steps();
        break;
      case StepEvidence::Optimizer:
        optimizer();
        break;
      case StepEvidence::RepeatedStack:
        repeated_stack();
        break;
      case StepEvidence::NvtxRange:
        nvtx();
        break;
      case StepEvidence::RepeatedKernel:
        repeated_kernel();
        break;
      case StepEvidence::Count:
        break;
    }
    return std::move(out_);
  }

 private:
  bool mine(ThreadIndex thread) const { return r_.threads[raw(thread)].process == process_; }
  bool launches_kernel(size_t call) const {
    const trace::CallClass cls = trace::class_of(r_.calls.call[call]);
    return cls == trace::CallClass::Launch || cls == trace::CallClass::Graph;
  }

  void add(std::vector<TraceTime> boundary, std::string basis, bool annotated = false) {
    std::sort(boundary.begin(), boundary.end());
    boundary.erase(std::unique(boundary.begin(), boundary.end()), boundary.end());
    if (boundary.size() >= kFewest)
      out_.push_back({std::move(boundary), std::move(basis), annotated});
  }

  // Ranges of one name (or of one stem and a number), back to back or nearly.
  void profiler_steps() {
    const Ranges& ranges = r_.ranges;
    std::vector<TraceTime> boundary;
    TraceTime last = 0;
    for (size_t i = 0; i < ranges.size(); ++i) {
      if (!mine(ranges.thread[i]) || !r_.text(ranges.name[i]).starts_with("ProfilerStep#"))
        continue;
      boundary.push_back(ranges.start[i]);
      last = std::max(last, ranges.end[i]);
    }
    if (boundary.size() >= 2) {
      boundary.push_back(last);
      add(std::move(boundary), "ProfilerStep", true);
    }
  }

  // One group of launches inside an optimizer's step() per iteration; a boundary where it ends.
  void optimizer() {
    const Calls& c = r_.calls;
    std::map<uint32_t, std::vector<TraceTime>> ends;  // by the user's line
    StackId open = kNone<StackId>;
    ThreadIndex thread = kNone<ThreadIndex>;
    TraceTime begin = INT64_MAX;
    for (size_t i = 0; i < c.size(); ++i) {
      if (!mine(c.thread[i]) || !launches_kernel(i)) continue;
      begin = std::min(begin, c.start[i]);
      if (c.thread[i] != thread) open = kNone<StackId>, thread = c.thread[i];
      const bool inside = facts_.any(c.stack[i], kOptimizer);
      const StackId line = inside ? facts_.user_node(c.stack[i]) : kNone<StackId>;
      if (inside) {
        auto& list = ends[raw(line)];
        if (line == open && !list.empty())
          list.back() = c.end[i];
        else
          list.push_back(c.end[i]);
      }
      open = line;
    }
    std::vector<TraceTime> best;
    for (auto& [line, list] : ends)
      if (list.size() > best.size()) best = std::move(list);
    if (best.empty()) return;
    best.push_back(begin);  // the first iteration starts with the first launch
    add(std::move(best), "optimizer");
  }

  // In a loop's body each launching stack comes up once per iteration (a run of the same stack is
  // one: a loop inside the line): the most common count among distinct stacks is the number of
  // iterations.
  void repeated_stack() {
    const Calls& c = r_.calls;
    std::unordered_map<uint32_t, std::vector<TraceTime>> runs;  // starts, by stack
    StackId open = kNone<StackId>;
    ThreadIndex thread = kNone<ThreadIndex>;
    for (size_t i = 0; i < c.size(); ++i) {
      if (c.stack[i] == kNone<StackId> || !mine(c.thread[i]) || !launches_kernel(i)) continue;
      if (c.thread[i] == thread && c.stack[i] == open) continue;
      thread = c.thread[i];
      open = c.stack[i];
      runs[raw(open)].push_back(c.start[i]);
    }
    std::map<size_t, uint32_t> stacks_with;
    for (const auto& [stack, starts] : runs)
      if (starts.size() >= kFewest) ++stacks_with[starts.size()];
    const auto most =
        std::max_element(stacks_with.begin(), stacks_with.end(),
                         [](const auto& x, const auto& y) { return x.second < y.second; });
    if (most == stacks_with.end()) return;
    std::vector<TraceTime>* anchor = nullptr;  // the first to come up
    for (auto& [stack, starts] : runs)
      if (starts.size() == most->first && (anchor == nullptr || starts.front() < anchor->front()))
        anchor = &starts;
    add(std::move(*anchor), "repeated launches");
  }

  // A range that the program repeats and that covers most of the run.
  void nvtx() {
    const Ranges& ranges = r_.ranges;
    std::map<uint32_t, std::vector<size_t>> by_name;
    for (size_t i = 0; i < ranges.size(); ++i)
      if (mine(ranges.thread[i]) &&
          (ranges.kind[i] == RangeKind::Nvtx || ranges.kind[i] == RangeKind::UserAnnotation))
        by_name[raw(ranges.name[i])].push_back(i);
    const std::vector<size_t>* best = nullptr;
    int64_t most = 0;
    for (const auto& [name, list] : by_name) {
      if (list.size() < kFewest) continue;
      int64_t covered = 0;
      for (size_t i : list) covered += ranges.end[i] - ranges.start[i];
      if (covered > most) best = &list, most = covered;
    }
    if (best == nullptr) return;
    std::vector<TraceTime> boundary;
    for (size_t i : *best) boundary.push_back(ranges.start[i]);
    add(std::move(boundary), "NVTX range");
  }

  // Without stacks: the rarest kernel that repeats stands for the iteration.
  void repeated_kernel() {
    const Calls& c = r_.calls;
    std::unordered_map<uint32_t, std::vector<TraceTime>> by_name;
    for (size_t i = 0; i < c.size(); ++i) {
      if (c.stack[i] != kNone<StackId> || !mine(c.thread[i]) || !launches_kernel(i)) continue;
      if (links_.activity_of[i] == kNoIndex) continue;
      by_name[raw(r_.activities.name[links_.activity_of[i]])].push_back(c.start[i]);
    }
    std::vector<std::pair<size_t, uint32_t>> rarest;
    for (const auto& [name, list] : by_name)
      if (list.size() > kFewest) rarest.emplace_back(list.size(), name);
    std::sort(rarest.begin(), rarest.end());
    for (size_t i = 0; i < rarest.size() && i < 8; ++i)
      add(std::move(by_name[rarest[i].second]), "repeated kernel");
  }

  const Recording& r_;
  const Links& links_;
  const StackFacts& facts_;
  ProcessIndex process_;
  std::vector<StepCandidate> out_;
};

}  // namespace

std::vector<StepCandidate> step_candidates(const Recording& recording, const Links& links,
                                           const StackFacts& facts, ProcessIndex process,
                                           StepEvidence evidence) {
  return Candidates(recording, links, facts, process).run(evidence);
}

}  // namespace gpustall::collect
