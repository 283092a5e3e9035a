// The calls in which the host waits for the device, each with its leaf. A copy and the
// synchronisation that follows it from the same line are one stall.
#pragma once
#include <vector>

#include "collector/analyze/backward_waits.h"
#include "collector/analyze/clock_map.h"
#include "collector/analyze/link.h"
#include "collector/analyze/stack_facts.h"

namespace gpustall::collect {

struct Stall {
  ThreadIndex thread{};
  TraceTime start = 0, end = 0;  // host clock
  Cause cause{};
  StackId stack = kNone<StackId>;
  SiteId site = kNone<SiteId>;
  uint32_t own_copy = kNoIndex;  // activity
  uint32_t first_call = kNoIndex, last_call = kNoIndex;
};

struct Stalls {
  std::vector<Stall> all;         // by (thread, start)
  std::vector<uint32_t> of_call;  // by call; kNoIndex: not a stall
};

struct StallInput {
  const Recording& recording;
  const Links& links;
  const StackFacts& facts;
  const BackwardWaits& backward;
  const std::vector<ClockMap>& clocks;  // by process
};

Stalls find_stalls(const StallInput& input);

}  // namespace gpustall::collect
