// A counter per device: work that was asked for and has not started. Where it falls to nothing, the
// host was late. Exact where the points are few; else the extremes of short intervals.
#include <algorithm>

#include "viewer-cli/export/timeline_state.h"

namespace gpustall::cli {

namespace {

using namespace collect;  // NOLINT: all of this is about the collector's tables

constexpr size_t kMostPoints = 20'000;

class QueueDepth {
 public:
  QueueDepth(TimelineState& state, DeviceIndex device, size_t begin, size_t end)
      : s_(state), r_(state.in.recording), device_(device), begin_(begin), end_(end) {}

  void write() {
    std::vector<int64_t> asked = times_asked();
    if (asked.empty()) return;
    set_interval(asked.size());
    size_t next = 0;
    int64_t depth = 0;
    InSelection selected(s_.selection);
    for (size_t i = begin_; i < end_; ++i) {
      if (s_.in.links.call_of[i] == kNoIndex) continue;
      const int64_t started = s_.in.clock.device(device_, r_.activities.start[i]);
      for (; next < asked.size() && asked[next] <= started; ++next)
        point(selected, asked[next], ++depth);
      if (depth > 0) point(selected, started, --depth);  // else a clock's error: it cannot precede
    }
    flush();
  }

 private:
  std::vector<int64_t> times_asked() const {
    std::vector<int64_t> asked;
    for (size_t i = begin_; i < end_; ++i) {
      const uint32_t call = s_.in.links.call_of[i];
      if (call == kNoIndex) continue;
      const ProcessIndex process = r_.threads[raw(r_.calls.thread[call])].process;
      asked.push_back(s_.in.clock.host(process, r_.calls.start[call]));
    }
    if (!std::is_sorted(asked.begin(), asked.end())) std::sort(asked.begin(), asked.end());
    return asked;
  }

  void set_interval(size_t launches) {
    if (2 * launches <= kMostPoints) return;
    int64_t shown = s_.selection.whole ? s_.in.clock.last() : 0;
    for (const Interval& interval : s_.selection.intervals) shown += interval.end - interval.start;
    interval_ = std::max<int64_t>(1, shown / static_cast<int64_t>(kMostPoints / 3));
  }

  void point(InSelection& selected, int64_t time, int64_t depth) {
    if (!selected.overlaps(time, time)) return;
    if (interval_ == 0) return write_point({time, depth});
    if (open_ && time - opened_ >= interval_) flush();
    if (!open_) {
      open_ = true;
      opened_ = time;
      least_ = most_ = {time, depth};
    }
    last_ = {time, depth};
    if (depth < least_.depth) least_ = last_;
    if (depth > most_.depth) most_ = last_;
  }

  struct Point {
    int64_t time = 0, depth = 0;
  };
  void flush() {
    if (!open_) return;
    open_ = false;
    const bool falls = most_.time <= least_.time;
    for (const Point& p : {falls ? most_ : least_, falls ? least_ : most_, last_}) write_point(p);
  }
  void write_point(const Point& p) {
    if (p.depth == written_) return;
    written_ = p.depth;
    s_.out.counter("queue depth", s_.in.ids.of(device_), p.time, "asked for, not started", p.depth);
  }

  TimelineState& s_;
  const Recording& r_;
  const DeviceIndex device_;
  const size_t begin_, end_;  // activities
  int64_t interval_ = 0, opened_ = 0, written_ = -1;
  bool open_ = false;
  Point least_, most_, last_;
};

}  // namespace

void write_queue_depth(TimelineState& state) {
  const Recording& r = state.in.recording;
  for (size_t begin = 0, end; begin < r.activities.size(); begin = end) {
    const DeviceIndex device = r.device_of(begin);
    for (end = begin + 1; end < r.activities.size() && r.device_of(end) == device;) ++end;
    if (state.selection.devices[raw(device)]) QueueDepth(state, device, begin, end).write();
  }
}

}  // namespace gpustall::cli
