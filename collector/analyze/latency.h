// The run's normal launch latency: from the exit of the launch call to the start of its kernel,
// when the stream was empty. Per process, since each has a device clock of its own.
#pragma once
#include <vector>

#include "collector/analyze/clock_map.h"
#include "collector/analyze/link.h"
#include "collector/analyze/timeline.h"

namespace gpustall::collect {

struct LaunchLatency {
  int64_t normal_ns = 0;  // the mode
  int64_t limit_ns = 0;   // above it a start counts as late
};

std::vector<LaunchLatency> measure_latency(const Recording& recording, const Links& links,
                                           const std::vector<ClockMap>& clocks);

}  // namespace gpustall::collect
