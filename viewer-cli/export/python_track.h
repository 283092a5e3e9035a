// What Python ran on a thread, as slices of nested functions: as last seen by the sampler, the CUDA
// calls and the waits. Between two sights of the same function it is taken to have run on.
#pragma once
#include "viewer-cli/export/timeline_state.h"

namespace gpustall::cli {

struct Rows {  // of one table
  size_t begin = 0, end = 0;
};

void write_python_track(TimelineState& state, collect::ThreadIndex thread, Rows calls, Rows waits,
                        Rows samples, const std::string& thread_name, int64_t sort);

}  // namespace gpustall::cli
