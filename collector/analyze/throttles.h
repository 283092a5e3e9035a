// When the CPU quota of its control group stopped a process.
#pragma once
#include <vector>

#include "collector/recording.h"

namespace gpustall::collect {

struct Throttle {
  ProcessIndex process{};
  TraceTime start = 0, end = 0;  // host clock
};

// By process and time, disjoint. The kernel counts the time on each CPU when it lets the threads
// run again: it lies before the moment at which the count was seen to have grown, and per period of
// the quota no longer than what the quota, used on all CPUs at once, leaves of it.
std::vector<Throttle> find_throttles(const Recording& recording);

}  // namespace gpustall::collect
