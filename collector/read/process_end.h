// What a file says about its own completeness: how it ended, what was lost, when something was not
// observed and why. Goes to Recording's unobserved, losses and not_observed.
#pragma once
#include "collector/read/events.h"

namespace gpustall::collect {

void describe_process_end(Recording& recording, const FileContext& context, FileEvents& events,
                          HostClock& clock);

// One sentence for all processes whose end is cut.
void describe_cut_ends(Recording& recording);

}  // namespace gpustall::collect
