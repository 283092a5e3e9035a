// One pass over the script. Per thread a pair (recorded, new) of times moves forward; per queue the
// end of its last work; per event the time it is reached. A call that is taken out takes its device
// work with it.
#include "collector/gain/replay.h"

#include <algorithm>
#include <unordered_map>

namespace gpustall::collect {
namespace {

constexpr size_t kQueueDepth =
    1024;  // launches that a queue takes before the next call is held back
constexpr int64_t kShortWait = 2'000;  // a wait for another thread that finds it done

struct ThreadClock {
  TraceTime recorded = 0, now = 0;
  bool seen = false;
  TraceTime at(TraceTime t) const { return now + (t - recorded); }
};

class Player {
 public:
  Player(const ReplayScript& script, const Recording& recording, const Steps& steps,
         const Edit& edit)
      : s_(script),
        r_(recording),
        edit_(edit),
        boundary_(steps.boundary),
        clock_(recording.threads.size()),
        tail_(script.queues, INT64_MIN),
        depends_(script.queues, INT64_MIN),
        starts_(script.queues) {
    main_ = main_thread(steps.process);
    process_ = steps.process;
  }

  std::vector<TraceTime> run() {
    for (const ScriptEvent& e : s_.events) play(e);
    while (out_.size() < boundary_.size()) reach(clock_[raw(main_)].at(boundary_[out_.size()]));
    return std::move(out_);
  }

 private:
  uint32_t process_of(ThreadIndex thread) const { return raw(r_.threads[raw(thread)].process); }

  ThreadIndex main_thread(ProcessIndex process) const {
    for (uint32_t t = 0; t < r_.threads.size(); ++t)
      if (r_.threads[t].process == process && r_.threads[t].tid == r_.processes[raw(process)].pid)
        return ThreadIndex(t);
    for (uint32_t t = 0; t < r_.threads.size(); ++t)
      if (r_.threads[t].process == process) return ThreadIndex(t);
    return ThreadIndex{};
  }

  // The steps' boundaries are passed where the main thread passes them, but not before the device
  // is through.
  void reach(TraceTime host) {
    TraceTime done = host;
    for (size_t q = 0; q < tail_.size(); ++q)
      if (r_.queues[q].process == process_) done = std::max(done, tail_[q]);
    out_.push_back(out_.empty() ? done : std::max(done, out_.back()));
  }

  void play(const ScriptEvent& e) {
    ThreadClock& clock = clock_[raw(e.thread)];
    if (!clock.seen) begin(e, clock);
    const int64_t before = e.start - clock.recorded, cut = removed(e.first_cpu, e.first_inside);
    const TraceTime entered = clock.now + std::max<int64_t>(0, before - cut);
    const bool out = edit_.removes(e.cause, e.site) && e.kind != ScriptKind::Wait;
    const TraceTime left = out ? entered : std::max(entered, leave(e, entered));
    if (e.thread == main_) pass_boundaries(e, clock.now, entered, left);
    clock.recorded = e.end;
    clock.now = left;
  }

  void begin(const ScriptEvent& e, ThreadClock& clock) {
    clock.seen = true;
    clock.recorded = clock.now = e.start;
    const Thread& thread = r_.threads[raw(e.thread)];
    if (raw(thread.creator) >= clock_.size() || thread.start_ns == 0 ||
        !clock_[raw(thread.creator)].seen)
      return;
    const ThreadClock& creator = clock_[raw(thread.creator)];
    clock.now = creator.at(std::max(thread.start_ns, creator.recorded)) +
                (e.start - std::max(thread.start_ns, creator.recorded));
  }

  void pass_boundaries(const ScriptEvent& e, TraceTime from, TraceTime entered, TraceTime left) {
    const ThreadClock& clock = clock_[raw(main_)];
    while (out_.size() < boundary_.size() && boundary_[out_.size()] <= e.end) {
      const TraceTime b = boundary_[out_.size()];
      if (b <= e.start)
        reach(between(b, clock.recorded, e.start, from, entered));
      else
        reach(between(b, e.start, e.end, entered, left));
    }
  }
  static TraceTime between(TraceTime t, TraceTime r0, TraceTime r1, TraceTime n0, TraceTime n1) {
    if (r1 <= r0) return n1;
    return n0 +
           static_cast<TraceTime>(double(std::max(t, r0) - r0) / double(r1 - r0) * double(n1 - n0));
  }

  int64_t removed(uint32_t from, uint32_t until) const {
    if (edit_.empty()) return 0;
    int64_t ns = 0;
    for (uint32_t i = from; i < until; ++i)
      if (edit_.removes(s_.pieces[i].cause, s_.pieces[i].site)) ns += s_.pieces[i].ns;
    return ns;
  }

  TraceTime leave(const ScriptEvent& e, TraceTime entered) {
    switch (e.kind) {
      case ScriptKind::Host:
        return entered + e.cost;
      case ScriptKind::Launch:
        return launch(e, entered);
      case ScriptKind::Block:
        return block(e, entered);
      case ScriptKind::Record:
        events_[e.object] = tail_[e.queue];
        return entered + e.cost;
      case ScriptKind::StreamWait:
        if (const auto at = events_.find(e.object); at != events_.end())
          depends_[e.queue] = std::max(depends_[e.queue], at->second);
        return entered + e.cost;
      case ScriptKind::Wait:
        return wait(e, entered);
    }
    return entered;
  }

  TraceTime launch(const ScriptEvent& e, TraceTime entered) {
    const auto& starts = starts_[e.queue];
    TraceTime left = entered + e.cost;
    if (starts.size() >= kQueueDepth) left = std::max(left, starts[starts.size() - kQueueDepth]);
    submit(e, left);
    return left;
  }

  void submit(const ScriptEvent& e, TraceTime returned) {
    const bool pinned = edit_.pins(e.cause, e.site);
    for (uint32_t i = e.first_work; i < e.work_end; ++i) {
      const ScriptWork& w = s_.work[i];
      TraceTime start = returned + w.latency;
      const TraceTime ready = std::max(tail_[w.queue], depends_[w.queue]);
      if (ready != INT64_MIN) start = std::max(start, ready + w.spacing);
      const double speedup = pinned && w.pageable_copy ? s_.pinned_speedup : 1;
      starts_[w.queue].push_back(start);
      tail_[w.queue] = start + static_cast<int64_t>(double(w.duration) / speedup);
    }
  }

  TraceTime block(const ScriptEvent& e, TraceTime entered) {
    const uint32_t process = process_of(e.thread);
    const int64_t own = e.waited ? std::min(s_.sync_cost[process], e.cost) : e.cost;
    const TraceTime asked = entered + own;
    if (e.work_end > e.first_work) {
      const bool pinned = edit_.pins(e.cause, e.site);
      // Its work's latency counts from the recorded exit, which lies behind the work itself.
      submit(e, entered + (e.waited ? e.cost : own));
      if (e.waited && !pinned) return start_to_end(e, entered);
      if (pinned) return asked;
    }
    const TraceTime done = reached(e, process);
    const int64_t wake = e.waited ? e.wake_ns : s_.wake_ns[process];
    return done == INT64_MIN || done <= asked ? asked : std::max(asked, done + wake);
  }

  // A blocking copy: its call ends its recorded distance behind its own work.
  TraceTime start_to_end(const ScriptEvent& e, TraceTime entered) {
    return std::max(entered, tail_[e.queue] + e.wake_ns);
  }

  TraceTime reached(const ScriptEvent& e, uint32_t process) const {
    if (e.block_on == BlockOn::Event) {
      const auto at = events_.find(e.object);
      return at == events_.end() ? INT64_MIN : at->second;
    }
    if (e.block_on != BlockOn::Everything) return tail_[e.queue];
    TraceTime last = INT64_MIN;
    for (size_t q = 0; q < tail_.size(); ++q)
      if (raw(r_.queues[q].process) == process) last = std::max(last, tail_[q]);
    return last;
  }

  TraceTime wait(const ScriptEvent& e, TraceTime entered) const {
    const int64_t cut = removed(e.first_inside, e.pieces_end);
    if (cut > 0) return entered + std::max<int64_t>(0, e.cost - cut);
    if (e.wait_end == WaitEnd::Thread) {
      const ThreadClock& waker = clock_[raw(e.waker)];
      if (waker.seen)
        return std::max(entered + std::min(e.cost, kShortWait),
                        waker.at(e.waker_time) + (e.end - e.waker_time));
    }
    if (e.wait_end == WaitEnd::Outside)
      return std::max(entered + std::min(e.cost, kShortWait), e.end);
    return entered + e.cost;
  }

  const ReplayScript& s_;
  const Recording& r_;
  const Edit& edit_;
  const std::vector<TraceTime>& boundary_;
  std::vector<ThreadClock> clock_;         // by thread
  std::vector<TraceTime> tail_, depends_;  // by queue
  std::vector<std::vector<TraceTime>> starts_;
  std::unordered_map<uint64_t, TraceTime> events_;
  std::vector<TraceTime> out_;
  ThreadIndex main_{};
  ProcessIndex process_{};
};

}  // namespace

std::vector<TraceTime> replay(const ReplayScript& script, const Recording& recording,
                              const Steps& steps, const Edit& edit) {
  return Player(script, recording, steps, edit).run();
}

std::vector<TraceTime> recorded_boundaries(const ReplayScript& script, const Recording& recording,
                                           const Steps& steps) {
  std::vector<std::pair<TraceTime, TraceTime>>
      ends;  // (asked for, done) of the process's work, host clock
  const DeviceClock& clock = recording.processes[raw(steps.process)].device_clock;
  for (const ScriptEvent& e : script.events) {
    if (recording.threads[raw(e.thread)].process != steps.process) continue;
    for (uint32_t i = e.first_work; i < e.work_end; ++i)
      ends.push_back({e.end, clock.to_host(recording.activities.end[script.work[i].activity])});
  }
  std::vector<TraceTime> out;
  size_t next = 0;
  TraceTime done = INT64_MIN;
  for (TraceTime b : steps.boundary) {
    for (; next < ends.size() && ends[next].first <= b; ++next)
      done = std::max(done, ends[next].second);
    out.push_back(std::max(b, done));
  }
  return out;
}

}  // namespace gpustall::collect
