// Brings the event tables of a Recording into the orders that recording.h promises. Whoever fills
// a Recording calls it once at the end; tables that are in order already cost one pass.
#pragma once
#include "collector/recording.h"

namespace gpustall::collect {

void sort_events(Recording& recording);

}  // namespace gpustall::collect
