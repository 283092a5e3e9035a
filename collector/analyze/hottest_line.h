// Work that was sampled in a function is one cause with one line, the hottest: its samples land on
// all lines of the function, and ten rows for one loop body help nobody. Functions that launch work
// themselves keep their lines apart: there each line is a statement of the training loop.
#pragma once
#include "collector/analyze/stack_facts.h"
#include "collector/cause.h"

namespace gpustall::collect {

// Causes whose time is placed by samples of a thread's stack.
bool is_sampled_work(Cause cause);

void blame_hottest_lines(const Recording& recording, const StackFacts& facts, Slices& slices);

}  // namespace gpustall::collect
