// What must hold for every analysis of every recording; each test calls it.
#pragma once
#include "collector/analysis.h"

namespace gpustall::test {

// Slices tile their gaps, sum to the idle time of their device, and match a plain recount of the
// union of its activities. Throws std::logic_error with the reason.
void check_invariants(const collect::Recording& recording, const collect::Analysis& analysis);

// analyze() with the invariants checked.
collect::Analysis checked_analysis(const collect::Recording& recording);

}  // namespace gpustall::test
