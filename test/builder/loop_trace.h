// The trace of a training loop as its process writes it, up to any step: chunk by chunk in the
// order of time, definitions where they are first used.
#pragma once
#include "test/builder/trace_builder.h"

namespace gpustall::test {

// Each step: ten launches of 100 us each whose kernels run 30 us, the last two in an optimizer,
// then 500 us of sleep. 1.5 ms a step. Process 4711, which still runs; its files are in `folder`.
TraceBuilder loop_trace(unsigned steps, const std::string& folder = "/home/u");

}  // namespace gpustall::test
