// Samples in whose neighbourhood the kernel handled page faults most of the time.
#pragma once
#include <vector>

#include "collector/recording.h"

namespace gpustall::collect {

// By index into the samples. The kernel counts its share of a thread's CPU time in ticks of 4 or 10
// ms, so it is compared over some CPU time before and after the sample.
std::vector<bool> find_faulting(const Samples& samples);

}  // namespace gpustall::collect
