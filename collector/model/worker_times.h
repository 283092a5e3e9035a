// What each loader worker did while a device waited for data.
#pragma once
#include "collector/analyze/loader_workers.h"
#include "collector/model.h"

namespace gpustall::collect {

// Of the workers of `process`; empty without such waits. The times of each worker add up to the
// length of the waits.
std::vector<WorkerTime> worker_times(const Recording& recording, const Analysis& analysis,
                                     const StackFacts& facts, const LoaderWorkers& workers,
                                     ProcessIndex process);

}  // namespace gpustall::collect
