// Who left a process fewer CPUs than it had: sched_setaffinity, called by the script, a library
// that was imported, or before it began to record by somebody who is known by his library only.
#pragma once
#include "collector/model.h"
#include "collector/recording.h"

namespace gpustall::collect {

std::vector<Narrowing> narrowings(const Recording& recording, ProcessIndex process);

}  // namespace gpustall::collect
