// Launches of an imported trace whose kernel is not in it. Profilers drop device records, the more
// of them the longer the device idles (pytorch #192021), and without a word the device seems idler
// than it was.
#pragma once
#include "collector/recording.h"

namespace gpustall::collect {

// Adds a sentence per process to the recording's damage. Needs sorted events.
void note_lost_work(Recording& recording);

}  // namespace gpustall::collect
