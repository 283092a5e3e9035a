// A recording window (--delay, --duration, --steps, --range) holds for the device, too: CUPTI goes
// on writing what runs there.
#pragma once
#include "collector/recording.h"

namespace gpustall::collect {

// Takes out activities that no recorded call launched and that ran while their process's window was
// closed. Before the tables are sorted.
void leave_out_closed_windows(Recording& recording);

}  // namespace gpustall::collect
