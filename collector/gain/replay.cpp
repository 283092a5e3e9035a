// One pass over the script. Per thread a pair (recorded, new) of times moves forward; per queue the
// end of its last work; per event the time it is reached.
#include "collector/gain/replay.h"

#include <algorithm>
#include <unordered_map>

#include "collector/gain/replay_loading.h"

namespace gpustall::collect {
namespace {

constexpr int64_t kShortWait = 2'000;     // a wait for another thread that finds it done
constexpr int64_t kUsualLaunch = 10'000;  // where all of the run's launches wait
constexpr int64_t kFoundReady = 200'000;  // a wait for a batch that finds it there
// What a foreach operator puts into one kernel, and the host time that it needs for each of its
// tensors, of what a launch of its own takes: measured with torch 2.11, 100 to 800 small tensors.
constexpr int64_t kCopyStart = 1'300;  // of a copy, before its first byte
constexpr uint32_t kFusedKernels = 100;
constexpr double kFusedHostShare = 0.04;

struct ThreadClock {
  TraceTime recorded = 0, now = 0;
  bool seen = false;
  TraceTime at(TraceTime t) const { return now + (t - recorded); }
};

const StepScript& step_script(const ReplayScript& script, ProcessIndex process) {
  const auto at = std::find_if(script.steps.begin(), script.steps.end(),
                               [&](const StepScript& s) { return s.process == process; });
  return *at;  // the script was built with these steps
}

class Player {
 public:
  Player(const ReplayScript& script, const Recording& recording, const Steps& steps,
         const Edit& edit)
      : s_(script),
        r_(recording),
        edit_(edit),
        boundary_(steps.boundary),
        process_(steps.process),
        steps_(step_script(script, steps.process)),
        loading_(script, steps_, recording, steps, edit),
        clock_(recording.threads.size()),
        tail_(script.queues, INT64_MIN),
        depends_(script.queues, INT64_MIN),
        starts_(script.queues) {}

  std::vector<TraceTime> run() {
    for (const ScriptEvent& e : s_.events) {
      if (out_.size() == boundary_.size()) break;
      play(e);
    }
    while (out_.size() < boundary_.size()) {
      const TraceTime b = boundary_[out_.size()];
      const ThreadIndex thread = steps_.passed_by[out_.size()];
      const ThreadClock& clock = clock_[raw(thread)];
      pass(thread, b, {clock.recorded, b, clock.now, clock.at(b)});
    }
    return std::move(out_);
  }

 private:
  uint32_t process_of(ThreadIndex thread) const { return raw(r_.threads[raw(thread)].process); }

  // The steps' boundaries are passed where the main thread passes them, but not before the device
  // is through.
  void reach(TraceTime host) {
    TraceTime done = host;
    for (size_t q = 0; q < tail_.size(); ++q)
      if (r_.queues[q].process == process_) done = std::max(done, tail_[q]);
    out_.push_back(out_.empty() ? done : std::max(done, out_.back()));
    taken_.push_back(host);
  }

  void play(const ScriptEvent& e) {
    ThreadClock& clock = clock_[raw(e.thread)];
    if (!clock.seen) begin(e, clock);
    const int64_t before = e.start - clock.recorded, cut = repaired(e.first_cpu, e.first_inside);
    Stretch idle{clock.recorded, e.start, clock.now,
                 clock.now + std::max<int64_t>(0, before - cut)};
    const TraceTime entered = pass(e.thread, e.start, idle);
    Stretch inside{e.start, e.end, entered, std::max(entered, leave(e, entered))};
    clock.now = pass(e.thread, e.end, inside);
    clock.recorded = e.end;
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

  struct Stretch {  // of a thread: recorded, and what became of it
    TraceTime recorded_from, recorded_to, from, to;
    TraceTime at(TraceTime t) const {
      if (recorded_to <= recorded_from) return to;
      const double share =
          double(std::max(t, recorded_from) - recorded_from) / double(recorded_to - recorded_from);
      return from + static_cast<TraceTime>(share * double(to - from));
    }
  };

  // The boundaries that the thread goes past until then. A batch that is not there yet delays
  // everything after it. Returns the end of the stretch.
  TraceTime pass(ThreadIndex thread, TraceTime until, const Stretch& s) {
    if (out_.size() == boundary_.size() || boundary_[out_.size()] > until) return s.to;  // mostly
    return pass_boundaries(thread, until, s);
  }
  TraceTime pass_boundaries(ThreadIndex thread, TraceTime until, Stretch s) {
    for (size_t b = out_.size(); b < boundary_.size(); b = out_.size()) {
      if (boundary_[b] > until || steps_.passed_by[b] != thread) break;
      const TraceTime at = s.at(boundary_[b]);
      const TraceTime host = std::max(at, loading_.earliest(b, taken_));
      s.from += host - at;
      s.to += host - at;
      reach(host);
    }
    return s.to;
  }

  int64_t repaired(uint32_t from, uint32_t until) const {
    if (edit_.empty()) return 0;
    int64_t ns = 0;
    for (uint32_t i = from; i < until; ++i)
      if (edit_.repairs(s_.pieces[i].cause, s_.pieces[i].site)) ns += s_.pieces[i].ns;
    return ns;
  }

  TraceTime leave(const ScriptEvent& e, TraceTime entered) {
    if (e.kind == ScriptKind::Wait) return wait(e, entered);
    const bool repaired = edit_.repairs(e.cause, e.site);
    const bool keeps_work = family_of(e.cause) == CauseFamily::Launch;
    if (repaired && !keeps_work && e.cause != Cause::CopyPageable) return entered;
    const int64_t cost = repaired && keeps_work ? 0 : e.cost;
    switch (e.kind) {
      case ScriptKind::Launch:
        return launch(e, entered, cost, repaired && keeps_work);
      case ScriptKind::Block:
        return repaired ? no_block(e, entered) : block(e, entered);
      case ScriptKind::Record:
        events_[e.object] = ready(e.queue);
        return entered + cost;
      case ScriptKind::StreamWait:
        if (const auto at = events_.find(e.object); at != events_.end())
          depends_[e.queue] = std::max(depends_[e.queue], at->second);
        return entered + cost;
      default:
        return entered + cost;
    }
  }

  TraceTime ready(uint32_t queue) const { return std::max(tail_[queue], depends_[queue]); }

  TraceTime launch(const ScriptEvent& e, TraceTime entered, int64_t cost, bool repaired) {
    const auto& starts = starts_[e.queue];
    const size_t depth = s_.queue_depth[e.queue];
    if (starts.size() >= depth) entered = std::max(entered, starts[starts.size() - depth]);
    if (repaired && edit_.fuses() && e.work_end - e.first_work == 1 && s_.work[e.first_work].fuses)
      return fused(e, entered);
    submit(e, entered + cost);
    return entered + cost;
  }

  // One launch for many; of the others only what their kernels really do remains.
  TraceTime fused(const ScriptEvent& e, TraceTime entered) {
    const ScriptWork& w = s_.work[e.first_work];
    FusedLaunch& fused = fused_[raw(e.site)];
    const bool first = fused.step != out_.size() || fused.kernels % kFusedKernels == 0;
    fused.kernels = fused.step == out_.size() ? fused.kernels + 1 : 1;
    fused.step = out_.size();
    if (first) {
      const TraceTime left = entered + e.cost;
      submit(e, left);
      return left;
    }
    tail_[w.queue] += std::max<int64_t>(0, w.duration - s_.least_kernel_ns);
    const int64_t took = e.end - clock_[raw(e.thread)].recorded;
    return entered + static_cast<int64_t>(kFusedHostShare * double(took));
  }

  void submit(const ScriptEvent& e, TraceTime asked) {
    for (uint32_t i = e.first_work; i < e.work_end; ++i) {
      const ScriptWork& w = s_.work[i];
      const bool repaired = w.copy != Cause::UnknownUntraced && edit_.repairs(w.copy, e.site);
      if (repaired && w.copy == Cause::CopyDevice) continue;
      if (repaired && w.copy == Cause::CopyPinned) {
        copy_ahead(w, e.site, asked);
        continue;
      }
      TraceTime start = asked + w.latency;
      if (ready(w.queue) != INT64_MIN) start = std::max(start, ready(w.queue) + w.spacing);
      starts_[w.queue].push_back(start);
      tail_[w.queue] = start + (repaired ? pinned(w) : w.duration);
    }
  }
  int64_t pinned(const ScriptWork& w) const {
    if (s_.pinned_rate == 0) return w.duration;
    const double moving = double(r_.activities.bytes[w.activity]) / s_.pinned_rate;
    return std::min(w.duration, kCopyStart + static_cast<int64_t>(moving));
  }

  // Asked for one step earlier, on a stream of its own: here its work is only waited for.
  void copy_ahead(const ScriptWork& w, SiteId site, TraceTime asked) {
    AheadCopy& copy = ahead_[raw(site)];
    copy.done = std::max(copy.done, copy.asked) + w.duration;
    copy.asked = asked;
    depends_[w.queue] = std::max(depends_[w.queue], copy.done);
  }

  TraceTime block(const ScriptEvent& e, TraceTime entered) {
    const uint32_t process = process_of(e.thread);
    const int64_t own = e.waited ? std::min(s_.sync_cost[process], e.cost) : e.cost;
    submit(e, entered);
    const TraceTime done = reached(e, process), asked = entered + own;
    const int64_t wake = e.waited ? e.wake_ns : s_.wake_ns[process];
    if (done == INT64_MIN || done <= entered + kFoundDone) return asked;
    return std::max(asked, done + wake);
  }

  // Pinned copies, and launches that no longer wait.
  TraceTime no_block(const ScriptEvent& e, TraceTime entered) {
    const int64_t usual = std::min(kUsualLaunch, s_.launch_cost[process_of(e.thread)]);
    const TraceTime left = entered + std::min(e.cost, usual);
    submit(e, left);
    return left;
  }

  TraceTime reached(const ScriptEvent& e, uint32_t process) const {
    if (e.block_on == BlockOn::Event) {
      const auto at = events_.find(e.object);
      return at == events_.end() ? INT64_MIN : at->second;
    }
    if (e.block_on != BlockOn::Everything) return ready(e.queue);
    TraceTime last = INT64_MIN;
    for (uint32_t q = 0; q < tail_.size(); ++q)
      if (raw(r_.queues[q].process) == process) last = std::max(last, ready(q));
    return last;
  }

  TraceTime wait(const ScriptEvent& e, TraceTime entered) {
    const TraceTime soonest = entered + std::min(e.cost, kShortWait);
    if (e.wait_end == WaitEnd::Loader) return batch(e, entered, soonest);
    const int64_t cut = repaired(e.first_inside, e.pieces_end);
    if (cut > 0) return entered + std::max<int64_t>(0, e.cost - cut);
    if (e.wait_end == WaitEnd::Thread) {
      const ThreadClock& waker = clock_[raw(e.waker)];
      if (waker.seen) return std::max(soonest, waker.at(e.waker_time) + (e.end - e.waker_time));
    }
    if (e.wait_end == WaitEnd::Outside) return std::max(soonest, e.end);
    return entered + e.cost;
  }

  // When a batch is there that is waited for: as recorded, moved with the loader's clock; but when
  // it is made, where none waits for another or its delivery is repaired. Then one that was found
  // ready may also have come at any time before.
  TraceTime batch(const ScriptEvent& e, TraceTime entered, TraceTime soonest) {
    const TraceTime made = loading_.earliest(std::min(out_.size(), boundary_.size() - 1), taken_);
    if (edit_.repairs(Cause::DataOrder, kNone<SiteId>)) return std::max(soonest, made);
    const int64_t delivery = repaired_delivery(e);
    if (delivery > 0 || (edit_.repairs_delivery() && e.cost < kFoundReady))
      return std::max({soonest, entered + std::max<int64_t>(0, e.cost - delivery), made});
    return std::max(soonest, loading_.comes(out_.size(), e.end, other_than_workers(e), taken_));
  }

  int64_t other_than_workers(const ScriptEvent& e) const {
    int64_t ns = 0;
    for (uint32_t i = e.first_inside; i < e.pieces_end; ++i)
      if (!is_worker_time(s_.pieces[i].cause)) ns += s_.pieces[i].ns;
    return ns;
  }

  // What is repaired between the workers and the training thread; the workers' own time moves the
  // loader's clock where they were recorded.
  int64_t repaired_delivery(const ScriptEvent& e) const {
    int64_t ns = 0;
    for (uint32_t i = e.first_inside; i < e.pieces_end; ++i) {
      const ScriptPiece& piece = s_.pieces[i];
      if (loading_.has_workers() && is_worker_time(piece.cause)) continue;
      if (edit_.repairs(piece.cause, piece.site)) ns += piece.ns;
    }
    return ns;
  }

  const ReplayScript& s_;
  const Recording& r_;
  const Edit& edit_;
  const std::vector<TraceTime>& boundary_;
  ProcessIndex process_;
  const StepScript& steps_;
  ReplayLoading loading_;
  std::vector<ThreadClock> clock_;         // by thread
  std::vector<TraceTime> tail_, depends_;  // by queue
  std::vector<std::vector<TraceTime>> starts_;
  std::unordered_map<uint64_t, TraceTime> events_;
  struct AheadCopy {
    TraceTime asked = 0, done = 0;
  };
  std::unordered_map<uint32_t, AheadCopy> ahead_;  // by site
  struct FusedLaunch {
    size_t step = SIZE_MAX;
    uint32_t kernels = 0;  // in that step
  };
  std::unordered_map<uint32_t, FusedLaunch> fused_;  // by site
  std::vector<TraceTime> out_, taken_;               // by boundary: steps' ends; the main thread's
};

}  // namespace

std::vector<TraceTime> replay(const ReplayScript& script, const Recording& recording,
                              const Steps& steps, const Edit& edit) {
  return Player(script, recording, steps, edit).run();
}

std::vector<TraceTime> recorded_boundaries(const ReplayScript& script, const Recording& recording,
                                           const Steps& steps) {
  // Asked for, done: of the process's work, host clock.
  std::vector<std::pair<TraceTime, TraceTime>> ends;
  const DeviceClock& clock = recording.processes[raw(steps.process)].device_clock;
  for (const ScriptEvent& e : script.events) {
    if (recording.threads[raw(e.thread)].process != steps.process) continue;
    for (uint32_t i = e.first_work; i < e.work_end; ++i)
      ends.push_back({e.start, clock.to_host(recording.activities.end[script.work[i].activity])});
  }
  std::sort(ends.begin(), ends.end());
  std::vector<TraceTime> out;
  size_t next = 0;
  TraceTime done = INT64_MIN;
  for (TraceTime b : steps.boundary) {
    for (; next < ends.size() && ends[next].first < b; ++next)
      done = std::max(done, ends[next].second);
    out.push_back(std::max(b, done));
  }
  return out;
}

}  // namespace gpustall::collect
