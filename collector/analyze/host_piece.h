// One stretch of host time with its owner, before the lead rule.
#pragma once
#include "collector/analysis.h"
#include "collector/analyze/link.h"

namespace gpustall::collect {

struct HostPiece {
  TraceTime start = 0, end = 0;
  Cause cause{};
  StackId stack = kNone<StackId>;
  StringId object{};
  uint32_t stall = kNoIndex;  // inside this wait for the device
  bool own = false;  // the launching side's own work: a lead that was given up would have hidden it
};

using HostPieces = std::vector<HostPiece>;

}  // namespace gpustall::collect
