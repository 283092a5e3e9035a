#include "collector/analyze/step_candidates.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace gpustall::collect {
namespace {

constexpr size_t kFewest = 3;  // occurrences that make a period
constexpr uint32_t kFewSteps = 20;
constexpr size_t kChoicesTried = 3;
constexpr double kAlike = 0.9;        // of what a period compares
constexpr double kBetter = 0.002;     // a longer period must be, to count
constexpr size_t kPeriodsTried = 16;  // distances, the most common ones
constexpr int64_t kLongPauseNs = 50'000;
constexpr int64_t kLongPauseFactor = 8;  // times the usual pause

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
      case StepEvidence::RepeatedLines:
        repeated_lines(false);
        break;
      case StepEvidence::LinesAndWaits:
        repeated_lines(true);
        break;
      case StepEvidence::EachLaunch:
        each_launch();
        break;
      case StepEvidence::NvtxRange:
        nvtx();
        break;
      case StepEvidence::Pauses:
        pauses();
        break;
      case StepEvidence::LaunchPeriod:
        launch_period();
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

  void add(std::vector<TraceTime> boundary, std::string basis, bool annotated = false,
           bool closed = false) {
    std::sort(boundary.begin(), boundary.end());
    boundary.erase(std::unique(boundary.begin(), boundary.end()), boundary.end());
    if (boundary.size() >= kFewest)
      out_.push_back({std::move(boundary), std::move(basis), annotated, closed});
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
      add(std::move(boundary), "ProfilerStep", true, true);
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
    add(std::move(best), "optimizer", false, true);
  }

  // A line in a loop's body is entered once per iteration, and so is all that it calls, except for
  // loops inside of it: the count that most lines of the user's code have is the number of
  // iterations. A graph launch enters its line again each time. With waits: where all calls of the
  // body come from one line, a wait on another still parts its runs.
  void repeated_lines(bool with_waits) {
    const Calls& c = r_.calls;
    const Waits& w = r_.waits;
    std::vector<Seen> seen;
    std::vector<bool> calling(r_.threads.size());
    for (size_t i = 0; i < c.size(); ++i) {
      if (!facts_.is_python(c.stack[i]) || !mine(c.thread[i])) continue;
      calling[raw(c.thread[i])] = true;
      seen.push_back({c.thread[i], c.start[i], c.stack[i], c.call[i] == trace::Call::GraphLaunch});
    }
    if (with_waits) {
      for (size_t i = 0; i < w.size(); ++i)
        if (facts_.is_python(w.stack[i]) && calling[raw(w.thread[i])])
          seen.push_back({w.thread[i], w.start[i], w.stack[i], false});
      std::sort(seen.begin(), seen.end(), [](const Seen& x, const Seen& y) {
        return x.thread != y.thread ? x.thread < y.thread : x.start < y.start;
      });
    }
    count_entries(seen);
  }

  struct Seen {
    ThreadIndex thread;
    TraceTime start;
    StackId stack;
    bool again;
  };

  // Calls each(line, time) for every line that is entered: the part of a stack that the one before
  // it did not have. All frames count where none is the user's.
  template <typename Each>
  void each_entry(const std::vector<Seen>& seen, bool users_only, Each each) const {
    const Seen* before = nullptr;
    for (const Seen& s : seen) {
      StackId shared = kNone<StackId>;
      if (before != nullptr && before->thread == s.thread) shared = common(before->stack, s.stack);
      if (s.again && shared == s.stack) shared = r_.stacks[raw(shared)].parent;
      for (StackId at = s.stack; at != shared; at = r_.stacks[raw(at)].parent)
        if (!users_only || facts_.leaf_is_user(at)) each(at, s.start);
      before = &s;
    }
  }
  // The innermost stack that both have; none: they have nothing in common. Parents come first.
  StackId common(StackId a, StackId b) const {
    while (a != b) {
      if (a == kNone<StackId> || b == kNone<StackId>) return kNone<StackId>;
      StackId& inner = raw(a) > raw(b) ? a : b;
      inner = r_.stacks[raw(inner)].parent;
    }
    return a;
  }

  void count_entries(const std::vector<Seen>& seen) {
    bool users_only = false;
    for (const Seen& s : seen) users_only = users_only || facts_.has_user_frame(s.stack);
    std::vector<uint32_t> entries(r_.stacks.size());
    std::vector<StackId> in_order;  // of first entry
    each_entry(seen, users_only, [&](StackId line, TraceTime) {
      if (entries[raw(line)]++ == 0) in_order.push_back(line);
    });
    std::map<uint32_t, std::pair<uint32_t, StackId>> lines_with;  // by count: how many, the first
    for (StackId line : in_order)
      if (entries[raw(line)] >= kFewest)
        ++lines_with.try_emplace(entries[raw(line)], 0, line).first->second.first;
    struct Choice {
      uint32_t lines, count;
      StackId first;
    };
    // The first or the last iteration may have been left in the middle.
    const auto at = [&](uint32_t count) {
      const auto found = lines_with.find(count);
      return found == lines_with.end() || count < kFewSteps / 2 ? 0 : found->second.first;
    };
    std::vector<Choice> choices;
    for (const auto& [count, lines] : lines_with)
      if (const uint32_t like = lines.first + at(count - 1) + at(count + 1); like > 1)
        choices.push_back({like, count, lines.second});
    std::stable_sort(choices.begin(), choices.end(), [](const Choice& x, const Choice& y) {
      if (x.lines != y.lines) return x.lines > y.lines;
      const bool few = x.count < kFewSteps || y.count < kFewSteps;  // epochs, rather
      return few ? x.count > y.count : x.count < y.count;
    });
    for (size_t i = 0; i < choices.size() && i < kChoicesTried; ++i) {
      std::vector<TraceTime> boundary;
      each_entry(seen, users_only, [&](StackId line, TraceTime time) {
        if (line == choices[i].first) boundary.push_back(time);
      });
      add(std::move(boundary), "repeated lines");
    }
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

  // What one thread asked the device for, in order. Two launches are alike when they come from the
  // same stack and start the same kernel.
  struct Launches {
    std::vector<TraceTime> start, end;
    std::vector<uint64_t> what;
    size_t size() const { return start.size(); }
  };

  // Of the thread that launches most.
  Launches launches() const {
    const Calls& c = r_.calls;
    std::map<uint32_t, Launches> by_thread;
    for (size_t i = 0; i < c.size(); ++i) {
      const uint32_t activity = links_.activity_of[i];
      if (!mine(c.thread[i]) || !launches_kernel(i) || activity == kNoIndex) continue;
      Launches& list = by_thread[raw(c.thread[i])];
      list.start.push_back(c.start[i]);
      list.end.push_back(c.end[i]);
      const StackId stack = facts_.is_python(c.stack[i]) ? c.stack[i] : kNone<StackId>;
      list.what.push_back(uint64_t{raw(stack)} << 32 | raw(r_.activities.name[activity]));
    }
    const auto most = std::max_element(
        by_thread.begin(), by_thread.end(),
        [](const auto& x, const auto& y) { return x.second.size() < y.second.size(); });
    return most == by_thread.end() ? Launches{} : std::move(most->second);
  }

  // The same number of launches between any two long pauses.
  void pauses() {
    const Launches l = launches();
    if (l.size() < 2 * kFewest) return;
    std::vector<int64_t> pause;
    for (size_t i = 1; i < l.size(); ++i) pause.push_back(l.start[i] - l.end[i - 1]);
    std::vector<int64_t> sorted = pause;  // up to half of the pauses may be the long ones
    const auto usual = sorted.begin() + static_cast<ptrdiff_t>(sorted.size() / 4);
    std::nth_element(sorted.begin(), usual, sorted.end());
    const int64_t long_from = std::max(kLongPauseNs, *usual * kLongPauseFactor);
    std::vector<TraceTime> boundary{l.start[0]};
    std::map<size_t, size_t> groups_of;  // how many groups have that many launches
    size_t first = 0;
    for (size_t i = 1; i < l.size(); ++i) {
      if (pause[i - 1] < long_from) continue;
      ++groups_of[i - first];
      first = i;
      boundary.push_back(l.start[i]);
    }
    size_t most = 0;
    for (const auto& [size, groups] : groups_of) most = std::max(most, groups);
    if (static_cast<double>(most) >= kAlike * static_cast<double>(boundary.size() - 1))
      add(std::move(boundary), "pauses between launches");
  }

  // The shortest distance at which the sequence of launches repeats itself. The first launch that
  // comes up once in that distance stands for the iteration.
  void launch_period() {
    const Launches l = launches();
    const size_t half = l.size() / 2;  // the first half may be warm-up
    if (l.size() < 2 * kFewest) return;
    const size_t period = best_period(l.what, half);
    if (period < 2) return;
    std::unordered_map<uint64_t, size_t> in_one;
    for (size_t i = l.size() - period; i < l.size(); ++i) ++in_one[l.what[i]];
    std::vector<TraceTime> boundary;
    const auto anchor = std::find_if(l.what.begin(), l.what.end(), [&](uint64_t what) {
      const auto at = in_one.find(what);
      return at != in_one.end() && at->second == 1;
    });
    for (size_t k = 0; anchor != l.what.end() && k < l.size(); ++k)
      if (l.what[k] == *anchor) boundary.push_back(l.start[k]);
    if (boundary.empty())  // each comes up more than once: counted from the end
      for (size_t k = l.size() % period; k < l.size(); k += period) boundary.push_back(l.start[k]);
    add(std::move(boundary), "repeated kernels");
  }

  // Nothing parts the launches: each stands for itself.
  void each_launch() {
    Launches l = launches();
    if (best_period(l.what, l.size() / 2) == 1) add(std::move(l.start), "single launches");
  }

  // The distance at which the sequence is most like itself, the shortest of those that are as good;
  // 0: none. Only distances between neighbouring occurrences of one launch can be periods.
  static size_t best_period(const std::vector<uint64_t>& what, size_t from) {
    std::unordered_map<uint64_t, size_t> last;
    std::map<size_t, size_t> distances;
    for (size_t i = from; i < what.size(); ++i) {
      const auto [at, fresh] = last.emplace(what[i], i);
      if (fresh) continue;
      ++distances[i - at->second];
      at->second = i;
    }
    std::vector<std::pair<size_t, size_t>> common;  // (how often, distance)
    for (const auto& [distance, times] : distances)
      if (distance * (kFewest - 1) <= what.size() - from) common.emplace_back(times, distance);
    std::sort(common.rbegin(), common.rend());
    if (common.size() > kPeriodsTried) common.resize(kPeriodsTried);
    std::sort(common.begin(), common.end(),
              [](const auto& x, const auto& y) { return x.second < y.second; });
    size_t best = 0;
    double most = kAlike;
    for (const auto& [times, distance] : common) {
      size_t alike = 0;
      for (size_t i = from + distance; i < what.size(); ++i) alike += what[i] == what[i - distance];
      const double share =
          static_cast<double>(alike) / static_cast<double>(what.size() - from - distance);
      if (share < (best == 0 ? kAlike : most + kBetter)) continue;
      best = distance;
      most = share;
    }
    return best;
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
