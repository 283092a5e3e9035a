// The ground truth: one text line per activity, in submission order, into the file named by the
// setting "log". The file is a shared mapping, so that nothing is lost by _exit, and no write call
// shows up in the program.
#pragma once
#include "api_scope.h"

namespace simgpu {

void log_activity(const Activity&);
void drop_log_in_child();  // a forked child leaves its parent's log alone

}  // namespace simgpu
