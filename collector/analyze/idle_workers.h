// How many of a loader's workers wait for something to load, that is, have loaded all that they
// were given: the loader is ahead. How many batches wait to be taken is in no recording: a batch is
// sent and taken by writes that are mostly too short to be recorded.
#pragma once
#include "collector/recording.h"

namespace gpustall::collect {

struct IdleWorkers {
  ProcessIndex process{};       // that takes the batches
  std::vector<TraceTime> time;  // host clock, ascending: where the number changes
  std::vector<uint32_t> idle;   // from then on
};

// One per loader. None of a loader where that is unknown of one of its workers: records were lost
// or not made, or stacks could not be read.
std::vector<IdleWorkers> idle_workers(const Recording& recording);

}  // namespace gpustall::collect
