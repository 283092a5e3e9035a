// Sites for calls without any stack: where neither the program nor the profiler recorded Python
// stacks, the range around a call says best where it comes from. A label is a stack of one frame
// without a file.
#pragma once
#include "collector/read/tables.h"

namespace gpustall::collect {

// In processes of which no call has a stack, gives each call the innermost NVTX range or annotation
// around it whose name comes up again (a name used once, as those of numbered steps, tells no place
// from another), else the outermost operator. Calls and ranges must be sorted.
void label_calls(Recording& recording, Tables& tables);

}  // namespace gpustall::collect
