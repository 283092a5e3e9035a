// How much work of the loader's workers lies behind the batch of each step, from when batches came
// that were waited for: production is counted in nanoseconds of all workers together.
#pragma once
#include "collector/gain/edit.h"
#include "collector/gain/loader_clock.h"
#include "collector/gain/script.h"

namespace gpustall::collect {

// One per boundary; empty without workers. With the repairs of `edit`.
std::vector<LoaderClock::Batch> batch_work(const StepScript& script, const Steps& steps,
                                           const Edit& edit);

}  // namespace gpustall::collect
