// What of a recording a timeline shows: all of it, or what overlaps some intervals of time; all
// devices, or some with the processes that use them. Times are those of the ExportClock.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "collector/analysis.h"
#include "viewer-cli/export/export_clock.h"

namespace gpustall::cli {

struct Interval {
  int64_t start = 0, end = 0;
};

// "1.5s:2s" (times of the timeline), "steps:10:20" (as the report counts them, both included),
// "worst:20" (so many of the longest gaps).
struct WindowWish {
  enum class Kind { Whole, Time, Steps, Worst } kind = Kind::Whole;
  int64_t from = 0, to = 0;  // ns, steps; from: number of gaps
};
std::optional<WindowWish> parse_window(const std::string& text);

struct Selection {
  bool whole = true;                // of the time
  std::vector<Interval> intervals;  // else: ascending, disjoint
  std::vector<bool> devices, processes;
  int64_t shortest_gap = 0;  // shorter ones are drawn in groups
  size_t step_group = 1;     // so many steps are drawn as one
};

// Throws Failure where nothing is left.
Selection select(const collect::Recording& recording, const collect::Analysis& analysis,
                 const ExportClock& clock, const WindowWish& wish, std::optional<uint32_t> device);

// The `count` longest gaps of the selected devices with some time around them.
std::vector<Interval> longest_gaps(const collect::Analysis& analysis, const ExportClock& clock,
                                   const Selection& selection, size_t count);

// Whether rows belong to the selection; they must come in the order of their start.
class InSelection {
 public:
  explicit InSelection(const Selection& selection) : s_(&selection) {}
  bool overlaps(int64_t start, int64_t end) {
    if (s_->whole) return true;
    while (at_ < s_->intervals.size() && s_->intervals[at_].end <= start) ++at_;
    return at_ < s_->intervals.size() && s_->intervals[at_].start < (end > start ? end : start + 1);
  }
  // The number of the interval that the last row was in.
  size_t interval() const { return at_; }

 private:
  const Selection* s_;
  size_t at_ = 0;
};

}  // namespace gpustall::cli
