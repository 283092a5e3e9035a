// Rows of one thread nest by time, and the rows around a call are its stack: Python functions give
// the Python stack, operators the symbols that torch's dispatcher has on the native one. Where the
// stack changes, samples say so to the analysis.
#pragma once
#include "collector/import/kineto_frames.h"
#include "collector/import/kineto_rows.h"

namespace gpustall::collect {

// The recording's calls must be sorted. Takes the rows over: they become ranges, stacks, samples,
// and waits where a row is a wait by what it is.
void nest_rows(Recording& recording, Tables& tables, KinetoFrames& frames, KinetoRows rows);

}  // namespace gpustall::collect
