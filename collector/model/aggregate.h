// Slices -> rows: by (cause, site, object, group) within one window of one device, cut at its
// edges.
#pragma once
#include <span>
#include <vector>

#include "collector/model.h"
#include "collector/model/rows.h"

namespace gpustall::collect {

struct WindowRange {
  TraceTime start = 0, end = 0;       // device clock
  std::vector<TraceTime> boundaries;  // of the steps inside; fewer than two: no steps
};

// The idle time of one window, summed. References the recording, the analysis and the range.
class WindowRows {
 public:
  // `timeline`: entry of analysis.timelines.
  WindowRows(const Recording& recording, const Analysis& analysis, size_t timeline,
             const WindowRange& range);
  // Of `whole`, which `first` and `second` are the two parts of.
  WindowRows(const WindowRange& whole, const WindowRows& first, const WindowRows& second);
  // Once.
  Window finish();

 private:
  void add_idle();

  const Recording& r_;
  const Analysis& a_;
  DeviceIndex device_;
  const WindowRange& range_;
  OpenRows idle_, alternatives_;
  int64_t idle_ns_ = 0;
};

ModelSite model_site(const Recording& recording, const Site& site);

}  // namespace gpustall::collect
