// Joins activities to the calls that launched them, by (process, correlation id). Correlation ids
// are unique per process only. What has no call stays unlinked: it is counted, never guessed.
#pragma once
#include <cstdint>
#include <vector>

#include "collector/recording.h"

namespace gpustall::collect {

inline constexpr uint32_t kNoIndex = 0xffffffffu;

struct Links {
  std::vector<uint32_t> call_of;      // by activity; kNoIndex: unlinked
  std::vector<uint32_t> activity_of;  // by call: its first activity; kNoIndex: none
  uint64_t unlinked = 0;
};

bool launches_work(trace::Call call);  // launch, graph, copy or set

Links link_activities(const Recording& recording);

}  // namespace gpustall::collect
