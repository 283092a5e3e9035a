// The iterations of each training process, found without annotations where there are none, and its
// warm-up. A period that is not regular is no period: then there are no steps, and numbers are per
// second.
#pragma once
#include <vector>

#include "collector/analyze/link.h"
#include "collector/analyze/stack_facts.h"

namespace gpustall::collect {

// Host times only; device_boundary is filled when the launches are placed on the device.
std::vector<Steps> find_steps(const Recording& recording, const Links& links,
                              const StackFacts& facts);

// The end of the device work that each boundary leaves behind.
void place_on_device(const Recording& recording, const Links& links, Steps& steps);

}  // namespace gpustall::collect
