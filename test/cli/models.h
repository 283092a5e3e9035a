// Hand-built models for the tests of the renderers: what the analysis could say about a run.
#pragma once
#include "collector/model.h"

namespace gpustall::test {

// 40 steps of 20 ms on a simulated device, 3 of them warm-up; every kind of row.
collect::Model stalled_model();
// Two devices, no steps, everything busy.
collect::Model healthy_model();
// A run that never used a GPU.
collect::Model empty_model();

}  // namespace gpustall::test
