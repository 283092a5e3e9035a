// One counter of a timeline: takes every change of its value and writes those that the selection
// shows. Viewers hold a value until the next one, so where an interval of the selection begins
// stands the value that it has there. Exact where changes are few; else the extremes of short
// intervals.
#pragma once
#include <string_view>

#include "viewer-cli/export/timeline_state.h"

namespace gpustall::cli {

class CounterTrack {
 public:
  // `name`, `series`: literals. `most`: so many changes may come.
  CounterTrack(TimelineState& state, std::string_view name, std::string_view series, int64_t pid,
               size_t most);
  void change(int64_t time, int64_t value);  // in order of time
  void finish();

 private:
  struct Point {
    int64_t time = 0, value = 0;
  };
  void begin_intervals(int64_t before);
  void flush();
  void write(const Point& point);

  TimelineState& s_;
  const std::string_view name_, series_;
  const int64_t pid_;
  InSelection selected_;
  int64_t thinned_ = 0;  // one interval for its extremes; 0: all are written
  size_t next_interval_ = 0;
  bool any_ = false, any_written_ = false, open_ = false;
  Point now_;            // the last change, shown or not
  int64_t written_ = 0;  // value
  int64_t opened_ = 0;   // time
  Point least_, most_, last_;
};

}  // namespace gpustall::cli
