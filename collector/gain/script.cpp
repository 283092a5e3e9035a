#include "collector/gain/script.h"

#include <algorithm>

#include "collector/gain/pipe_writes.h"
#include "collector/gain/script_device.h"
#include "collector/gain/script_turns.h"
#include "collector/gain/step_script.h"

namespace gpustall::collect {
namespace {

constexpr int64_t kAtOnce = 100'000;
constexpr size_t kQueueDepth = 1024;  // launches that a queue takes before calls are held back
constexpr size_t kNearlyFull = 900;
constexpr size_t kMostEvents = 500'000;  // of a long recording: a replay takes some milliseconds
constexpr size_t kFewestSteps = 100;     // however long they are
constexpr int64_t kDefaultSyncCost = 4'000, kDefaultWake = 5'000;
constexpr int64_t kDefaultLaunchCost = 6'000;
constexpr double kPinnedSpeedup =
    2.5;  // staged against direct copies, where the run shows no pinned one

template <typename Value>
Value middle(std::vector<Value>& values, Value otherwise) {
  if (values.empty()) return otherwise;
  const auto at = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

class Builder {
 public:
  explicit Builder(const ScriptInput& input)
      : in_(input),
        r_(input.base.recording),
        device_(input),
        pipes_(r_),
        steps_(input.steps),
        costs_(r_.processes.size()) {}

  ReplayScript run() {
    script_.queues = static_cast<uint32_t>(r_.queues.size());
    script_.sites = in_.base.facts.sites();
    script_.pinned_rate = pinned_rate();
    std::vector<TraceTime> last(r_.threads.size(), INT64_MIN);
    reserve();
    ScriptTurns turns(in_.segments);
    TraceTime until = INT64_MAX;
    for (ScriptTurn turn; turns.next(turn) && turn.at <= until;) {
      if (script_.events.size() == kMostEvents) until = shorten(turn.at);
      add(turn, last[raw(turn.thread)]);
    }
    settle();
    for (const Steps& steps : steps_) script_.steps.push_back(build_step_script(in_, steps));
    return std::move(script_);
  }

 private:
  uint32_t process_of(ThreadIndex thread) const { return raw(r_.threads[raw(thread)].process); }

  void reserve() {
    const size_t most = in_.segments.start.size() + r_.waits.size();
    const size_t events = std::min(most, kMostEvents + kMostEvents / 8);
    script_.events.reserve(events);
    script_.pieces.reserve(events);
    script_.work.reserve(std::min(events, r_.activities.size()));
  }

  // The steps that lie before `end`, but some at least, are replayed. Returns until when what is
  // recorded is part of them: a boundary is passed by what reaches beyond it.
  TraceTime shorten(TraceTime end) {
    TraceTime until = INT64_MIN;
    for (Steps& steps : steps_) {
      std::vector<TraceTime>& b = steps.boundary;
      const auto fit = static_cast<size_t>(std::upper_bound(b.begin(), b.end(), end) - b.begin());
      const size_t keep = std::max(fit, steps.warmup + kFewestSteps + 1);
      until = std::max(until, keep < b.size() ? b[keep] : INT64_MAX);
      b.resize(std::min(keep, b.size()));
    }
    return until;
  }

  void add(const ScriptTurn& turn, TraceTime& last) {
    const ThreadSegments& s = in_.segments;
    const uint32_t segment = turn.segment;
    ScriptEvent e;
    e.thread = turn.thread;
    e.start = s.start[segment];
    e.end = turn.at;
    e.cost = e.end - e.start;
    e.first_cpu = pieces();
    if (last != INT64_MIN) append(e.thread, last, e.start);
    e.first_inside = pieces();
    if (s.kind[segment] == SegmentKind::Call)
      call(s.index[segment], e);
    else if (s.kind[segment] == SegmentKind::Wait && !turn.enters)
      wait(s.index[segment], e);
    else if (s.kind[segment] == SegmentKind::Fork)
      fork(e);
    e.pieces_end = pieces();
    last = e.end;
    script_.events.push_back(e);
  }
  uint32_t pieces() const { return static_cast<uint32_t>(script_.pieces.size()); }

  void append(ThreadIndex thread, TraceTime from, TraceTime until) {
    if (until <= from) return;
    scratch_.clear();
    in_.reader.read(thread, from, until, scratch_);
    const bool pins = in_.reader.is_pin_thread(thread);
    for (const HostPiece& p : scratch_) {
      const bool is_loading = family_of(p.cause) == CauseFamily::Data;
      script_.pieces.push_back({p.end - p.start, pins && !is_loading ? Cause::DataPin : p.cause,
                                in_.base.facts.site(p.stack)});
    }
  }

  void call(uint32_t i, ScriptEvent& e) {
    const Calls& c = r_.calls;
    const uint32_t process = process_of(e.thread);
    const trace::CallClass cls = trace::class_of(c.call[i]);
    const StackId stack =
        in_.base.backward.effective(c.thread[i], c.start[i], in_.owners.stack(i, c.stack[i]));
    const uint32_t stall = in_.stalls.of_call[i];
    e.cause = in_.owners.cause(i);
    e.site = in_.base.facts.site(stack);
    if (stall != kNoIndex) {
      e.cause = in_.stalls.all[stall].cause;
      e.site = in_.stalls.all[stall].site;
    }
    e.object = c.object[i];
    const uint32_t stream = device_.queue_of(process, c.stream[i]);
    e.queue = stream == kNoIndex ? 0 : stream;
    e.first_work = static_cast<uint32_t>(script_.work.size());
    const bool blocks =
        stall != kNoIndex && !(launches_work(c.call[i]) && i != in_.stalls.all[stall].last_call);
    const size_t outstanding =
        launches_work(c.call[i]) && stream != kNoIndex ? device_.outstanding(stream, e.start) : 0;
    device_.launch(i, blocks ? e.start : e.end, script_.work);
    e.work_end = static_cast<uint32_t>(script_.work.size());
    if (blocks)
      block(cls, stream, process, e);
    else if (e.work_end > e.first_work)
      launch(outstanding, e);
    else if (cls == trace::CallClass::EventRecord && stream != kNoIndex)
      e.kind = ScriptKind::Record, device_.record(event_key(process, e.object), stream);
    else if (cls == trace::CallClass::StreamWait && stream != kNoIndex)
      e.kind = ScriptKind::StreamWait, device_.stream_wait(event_key(process, e.object), stream);
    e.object = event_key(process, e.object);
  }

  void fork(ScriptEvent& e) {
    scratch_.clear();
    in_.reader.read(e.thread, e.start, e.end, scratch_);
    if (scratch_.empty()) return;
    e.cause = scratch_.front().cause;
    e.site = in_.base.facts.site(scratch_.front().stack);
  }

  static uint64_t event_key(uint32_t process, uint64_t object) {
    return object ^ uint64_t { process } << 56;
  }

  void launch(size_t outstanding, ScriptEvent& e) {
    e.kind = ScriptKind::Launch;
    e.queue = script_.work[e.first_work].queue;
    if (outstanding >= kNearlyFull)
      held_.push_back(static_cast<uint32_t>(script_.events.size()));
    else
      costs_[process_of(e.thread)].push_back(e.cost);
  }

  void block(trace::CallClass cls, uint32_t stream, uint32_t process, ScriptEvent& e) {
    e.kind = ScriptKind::Block;
    if (e.work_end > e.first_work) {
      e.block_on = BlockOn::Own;
      e.queue = script_.work[e.first_work].queue;
    } else if (cls == trace::CallClass::EventSync) {
      e.block_on = BlockOn::Event;
    } else if (cls == trace::CallClass::Sync && stream != kNoIndex) {
      e.block_on = BlockOn::Queue;
    }
    const uint64_t object = e.object;
    e.object = event_key(process, object);
    const TraceTime done = device_.done(e, process);
    e.object = object;
    e.waited = done != INT64_MIN && done > e.start + kFoundDone && done <= e.end;
    if (e.waited)
      e.wake_ns = e.end - done;
    else
      idle_syncs_.push_back({process, e.cost});
    if (e.waited) wakes_.push_back({process, e.wake_ns});
  }

  // A loader's worker, which has no timeline of its own in a replay.
  bool is_worker_of(ThreadIndex waker, ThreadIndex waiting) const {
    if (waker == kNone<ThreadIndex>) return false;
    const uint32_t worker = process_of(waker);
    return worker != process_of(waiting) && r_.processes[worker].role == trace::Role::LoaderWorker;
  }

  void wait(uint32_t i, ScriptEvent& e) {
    const Waits& w = r_.waits;
    e.kind = ScriptKind::Wait;
    e.waker = w.waker[i];
    e.waker_time = w.waker_time[i];
    const trace::WaitClass cls = trace::class_of(w.wait[i]);
    const bool receives = cls == trace::WaitClass::Read || cls == trace::WaitClass::Poll;
    if (e.waker == kNone<ThreadIndex> && receives)
      if (const uint32_t write = pipes_.waker_of(i); write != kNoIndex) {
        e.waker = w.thread[write];
        e.waker_time = std::min(w.end[write], e.end);
      }
    // A thread that launches nothing has no timeline of its own in a replay: what it hands over at
    // once binds nobody.
    const bool has_timeline = e.waker != kNone<ThreadIndex> &&
                              (in_.reader.launches_kernels(e.waker) || e.end - e.start > kAtOnce);
    if (has_timeline && e.waker != e.thread && e.waker_time > e.start && e.waker_time <= e.end)
      e.wait_end = WaitEnd::Thread;
    else if (receives && cls == trace::WaitClass::Poll && in_.reader.is_outside_wait(i))
      e.wait_end = WaitEnd::Outside;
    if (in_.reader.waits_for_loader(i) || is_worker_of(e.waker, e.thread))
      e.wait_end = WaitEnd::Loader;
    // What a launching thread that is waited for does has its own events.
    const bool own = e.wait_end != WaitEnd::Thread || !in_.reader.launches_kernels(e.waker);
    if (own) append(e.thread, e.start, e.end);
  }

  // Medians over the large copies to the device: a first use may take a hundred times as long.
  double pinned_rate() const {
    std::vector<double> pageable, pinned;
    const Activities& a = r_.activities;
    for (size_t i = 0; i < a.size(); ++i)
      if (a.kind[i] == ActivityKind::Memcpy && a.copy_kind[i] == kHostToDevice &&
          a.bytes[i] >= 1 << 18 && a.end[i] > a.start[i])
        (a.src_kind[i] == kPinned ? pinned : pageable)
            .push_back(double(a.bytes[i]) / double(a.end[i] - a.start[i]));
    const double staged = middle(pageable, 0.0), direct = middle(pinned, 0.0);
    return direct > 0 ? std::max(direct, staged) : kPinnedSpeedup * staged;
  }

  void settle() {
    const auto by_process = [&](std::vector<std::pair<uint32_t, int64_t>>& seen,
                                int64_t otherwise) {
      std::vector<std::vector<int64_t>> values(r_.processes.size());
      for (const auto& [process, ns] : seen) values[process].push_back(ns);
      std::vector<int64_t> out;
      for (auto& v : values) out.push_back(middle(v, otherwise));
      return out;
    };
    for (uint32_t q = 0; q < script_.queues; ++q)
      script_.queue_depth.push_back(static_cast<uint32_t>(depth(device_.most_outstanding(q))));
    // A call that the full queue held back costs what calls usually cost.
    for (uint32_t p = 0; p < costs_.size(); ++p)
      script_.launch_cost.push_back(middle(costs_[p], kDefaultLaunchCost));
    for (uint32_t i : held_) {
      ScriptEvent& e = script_.events[i];
      e.cost = std::min(e.cost, script_.launch_cost[process_of(e.thread)]);
    }
    for (const ScriptWork& w : script_.work)
      if (w.fuses && (script_.least_kernel_ns == 0 || w.duration < script_.least_kernel_ns))
        script_.least_kernel_ns = w.duration;
    script_.sync_cost = by_process(idle_syncs_, kDefaultSyncCost);
    script_.wake_ns = by_process(wakes_, kDefaultWake);
  }

  // Where the run came near the bound, its own one.
  static size_t depth(size_t most) { return most >= kNearlyFull ? most : kQueueDepth; }

  const ScriptInput& in_;
  const Recording& r_;
  RecordedDevice device_;
  PipeWrites pipes_;
  ReplayScript script_;
  std::vector<Steps> steps_;                 // those that are replayed
  std::vector<std::vector<int64_t>> costs_;  // of launches that nothing held back, by process
  std::vector<uint32_t> held_;               // events: launches into a nearly full queue
  std::vector<std::pair<uint32_t, int64_t>> idle_syncs_, wakes_;
  HostPieces scratch_;
};

}  // namespace

ReplayScript build_script(const ScriptInput& input) {
  return Builder(input).run();
}

}  // namespace gpustall::collect
