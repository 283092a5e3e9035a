// Slices -> rows: by (cause, site, object, group) within one window of one device, cut at its
// edges.
#pragma once
#include <span>
#include <vector>

#include "collector/model.h"

namespace gpustall::collect {

struct WindowRange {
  TraceTime start = 0, end = 0;       // device clock
  std::vector<TraceTime> boundaries;  // of the steps inside; fewer than two: no steps
};

// `timeline`: entry of analysis.timelines.
Window aggregate_window(const Recording& recording, const Analysis& analysis, size_t timeline,
                        const WindowRange& range);

ModelSite model_site(const Recording& recording, const Site& site);

}  // namespace gpustall::collect
