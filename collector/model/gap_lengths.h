// How long the gaps of a device are, and what the idle time in gaps of one length belongs to.
#pragma once
#include "collector/analysis.h"
#include "collector/overview.h"

namespace gpustall::collect {

GapLengths gap_lengths(const Analysis& analysis, DeviceIndex device);

}  // namespace gpustall::collect
