// Gaps and slices -> the bounded sums of collector/overview.h.
#pragma once
#include "collector/analysis.h"
#include "collector/overview.h"

namespace gpustall::collect {

// `timeline`: entry of analysis.timelines. `steps`: those that cut the device's time, or null.
// O(slices + stacks) time.
Overview overview_of(const Recording& recording, const Analysis& analysis, size_t timeline,
                     const Steps* steps);

}  // namespace gpustall::collect
