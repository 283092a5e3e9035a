// Records of NVML's facts to rows: what was not told is kUntold, not zero.
#pragma once
#include "collector/recording.h"
#include "libinterpose/trace/records.h"

namespace gpustall::collect {

CardLimits limits_of(const trace::Card& record);
// Without its process, device and time.
CardState state_of(const trace::CardState& record);

}  // namespace gpustall::collect
