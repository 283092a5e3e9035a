// Plays a script again with some of its time taken out, and tells when each step would have ended.
#pragma once
#include <vector>

#include "collector/analysis.h"
#include "collector/gain/edit.h"
#include "collector/gain/script.h"

namespace gpustall::collect {

// `steps.boundary` on its process's main thread; a step ends when host and device are through with
// it. Returns one time per boundary; comparable between replays of one script only. One pass.
std::vector<TraceTime> replay(const ReplayScript& script, const Recording& recording,
                              const Steps& steps, const Edit& edit);

// The same instants as recorded.
std::vector<TraceTime> recorded_boundaries(const ReplayScript& script, const Recording& recording,
                                           const Steps& steps);

}  // namespace gpustall::collect
