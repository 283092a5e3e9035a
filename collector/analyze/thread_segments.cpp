#include "collector/analyze/thread_segments.h"

#include <algorithm>

#include "collector/analyze/link.h"

namespace gpustall::collect {
namespace {

struct Event {
  TraceTime start, end;
  uint32_t index;
  SegmentKind kind;
  StackId stack;
};

class Builder {
 public:
  Builder(const Recording& recording, ThreadSegments& out) : r_(recording), s_(out) {
    for (uint32_t i = 0; i < r_.forks.size(); ++i) forks_.push_back(i);
    std::sort(forks_.begin(), forks_.end(), [&](uint32_t a, uint32_t b) {
      const Fork &x = r_.forks[a], &y = r_.forks[b];
      return x.thread != y.thread ? raw(x.thread) < raw(y.thread) : x.start < y.start;
    });
  }

  // Merges the three sorted tables; `thread` counts up.
  void thread(ThreadIndex thread) {
    thread_begin_ = s_.start.size();
    skip_before(thread);
    for (;;) {
      Event next{INT64_MAX, 0, 0, SegmentKind::Call, kNone<StackId>};
      offer_call(thread, next);
      offer_wait(thread, next);
      offer_fork(thread, next);
      if (next.start == INT64_MAX) return;
      (next.kind == SegmentKind::Call ? call_ : next.kind == SegmentKind::Wait ? wait_ : fork_)++;
      add(next);
    }
  }

 private:
  void skip_before(ThreadIndex thread) {
    while (fork_ < forks_.size() && raw(r_.forks[forks_[fork_]].thread) < raw(thread)) ++fork_;
  }
  // An event that starts together with another is the outer one if it ends later.
  static void offer(const Event& event, Event& best) {
    if (event.start < best.start || (event.start == best.start && event.end > best.end))
      best = event;
  }
  void offer_call(ThreadIndex thread, Event& best) const {
    const Calls& c = r_.calls;
    if (call_ < c.size() && c.thread[call_] == thread)
      offer({c.start[call_], c.end[call_], call_, SegmentKind::Call, c.stack[call_]}, best);
  }
  void offer_wait(ThreadIndex thread, Event& best) const {
    const Waits& w = r_.waits;
    if (wait_ < w.size() && w.thread[wait_] == thread)
      offer({w.start[wait_], w.end[wait_], wait_, SegmentKind::Wait, w.stack[wait_]}, best);
  }
  void offer_fork(ThreadIndex thread, Event& best) const {
    if (fork_ >= forks_.size() || r_.forks[forks_[fork_]].thread != thread) return;
    const Fork& f = r_.forks[forks_[fork_]];
    offer({f.start, f.end, forks_[fork_], SegmentKind::Fork, f.stack}, best);
  }

  void add(Event e) {
    const bool nested = s_.start.size() > thread_begin_ && e.start < s_.end.back();
    if (nested) {
      e.start = s_.end.back();
      if (e.end <= e.start) {  // inside the one before
        if (e.kind == SegmentKind::Call) s_.of_call[e.index] = last();
        return;
      }
    }
    s_.start.push_back(e.start);
    s_.end.push_back(e.end);
    s_.kind.push_back(e.kind);
    s_.index.push_back(e.index);
    s_.stack.push_back(e.stack);
    if (e.kind == SegmentKind::Call) s_.of_call[e.index] = last();
  }
  uint32_t last() const { return static_cast<uint32_t>(s_.start.size() - 1); }

  const Recording& r_;
  ThreadSegments& s_;
  std::vector<uint32_t> forks_;
  size_t thread_begin_ = 0;
  uint32_t call_ = 0, wait_ = 0, fork_ = 0;
};

void fill_stacked(ThreadSegments& s) {
  s.last_stacked.assign(s.start.size(), kNoIndex);
  s.next_stacked.assign(s.start.size(), kNoIndex);
  for (size_t t = 0; t + 1 < s.first.size(); ++t) {
    uint32_t seen = kNoIndex;
    for (uint32_t i = s.first[t]; i < s.first[t + 1]; ++i) {
      if (s.stack[i] != kNone<StackId>) seen = i;
      s.last_stacked[i] = seen;
    }
    seen = kNoIndex;
    for (uint32_t i = s.first[t + 1]; i-- > s.first[t];) {
      if (s.stack[i] != kNone<StackId>) seen = i;
      s.next_stacked[i] = seen;
    }
  }
}

}  // namespace

uint32_t ThreadSegments::at(ThreadIndex thread, TraceTime time) const {
  const auto begin = end.begin() + first[raw(thread)], stop = end.begin() + first[raw(thread) + 1];
  return static_cast<uint32_t>(std::upper_bound(begin, stop, time) - end.begin());
}

// Doubles its distance from `near` until `time` is passed.
uint32_t ThreadSegments::at(ThreadIndex thread, TraceTime time, uint32_t near) const {
  const uint32_t begin = first[raw(thread)], stop = first[raw(thread) + 1];
  near = std::clamp(near, begin, stop);
  uint32_t low = near, high = near;  // what ends after `time` is in [low, high]
  if (near < stop && end[near] <= time) {
    for (uint32_t step = 1; high < stop && end[high] <= time; step *= 2) {
      low = high + 1;
      high = std::min(stop, stop - high > step ? high + step : stop);
    }
  } else {
    for (uint32_t step = 1; low > begin && end[low - 1] > time; step *= 2) {
      high = low - 1;
      low = low - begin > step ? low - step : begin;
    }
  }
  return static_cast<uint32_t>(std::upper_bound(end.begin() + low, end.begin() + high, time) -
                               end.begin());
}

ThreadSegments build_segments(const Recording& recording) {
  ThreadSegments s;
  const size_t n = recording.calls.size() + recording.waits.size() + recording.forks.size();
  s.start.reserve(n);
  s.end.reserve(n);
  s.kind.reserve(n);
  s.index.reserve(n);
  s.stack.reserve(n);
  s.of_call.assign(recording.calls.size(), kNoIndex);
  Builder builder(recording, s);
  for (uint32_t t = 0; t < recording.threads.size(); ++t) {
    s.first.push_back(static_cast<uint32_t>(s.start.size()));
    builder.thread(ThreadIndex(t));
  }
  s.first.push_back(static_cast<uint32_t>(s.start.size()));
  fill_stacked(s);
  return s;
}

}  // namespace gpustall::collect
