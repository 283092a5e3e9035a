#include "viewer-cli/export/counter_track.h"

#include <algorithm>

namespace gpustall::cli {

namespace {
constexpr size_t kMostPoints = 20'000;
}

CounterTrack::CounterTrack(TimelineState& state, std::string_view name, std::string_view series,
                           int64_t pid, size_t most)
    : s_(state), name_(name), series_(series), pid_(pid), selected_(state.selection) {
  if (most <= kMostPoints) return;
  int64_t shown = s_.selection.whole ? s_.in.clock.last() : 0;
  for (const Interval& interval : s_.selection.intervals) shown += interval.end - interval.start;
  thinned_ = std::max<int64_t>(1, shown / static_cast<int64_t>(kMostPoints / 3));
}

void CounterTrack::change(int64_t time, int64_t value) {
  if (any_) time = std::max(time, now_.time);  // clocks of two processes may disagree
  begin_intervals(time);
  now_ = {time, value};
  any_ = true;
  if (!selected_.overlaps(time, time)) return;
  if (thinned_ == 0) return write(now_);
  if (open_ && time - opened_ >= thinned_) flush();
  if (!open_) {
    open_ = true;
    opened_ = time;
    least_ = most_ = now_;
  }
  last_ = now_;
  if (value < least_.value) least_ = now_;
  if (value > most_.value) most_ = now_;
}

void CounterTrack::finish() {
  begin_intervals(INT64_MAX);
  flush();
}

void CounterTrack::begin_intervals(int64_t before) {
  if (s_.selection.whole) return;
  const auto& intervals = s_.selection.intervals;
  for (; next_interval_ < intervals.size() && intervals[next_interval_].start < before;
       ++next_interval_) {
    if (!any_) continue;
    flush();
    write({intervals[next_interval_].start, now_.value});
  }
}

void CounterTrack::flush() {
  if (!open_) return;
  open_ = false;
  const bool falls = most_.time <= least_.time;
  for (const Point& p : {falls ? most_ : least_, falls ? least_ : most_, last_}) write(p);
}

void CounterTrack::write(const Point& point) {
  if (any_written_ && point.value == written_) return;
  any_written_ = true;
  written_ = point.value;
  s_.out.counter(name_, pid_, point.time, series_, point.value);
}

}  // namespace gpustall::cli
