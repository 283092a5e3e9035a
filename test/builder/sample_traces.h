// Three small traces that hold every record kind between them: for the golden dumps and as seeds
// of the fuzzer's corpus.
#pragma once
#include "test/builder/trace_builder.h"

namespace gpustall::test {

TraceBuilder host_trace();    // what threads do
TraceBuilder device_trace();  // activities
TraceBuilder clocks_trace();  // clocks, samples, losses; a process without an end

}  // namespace gpustall::test
