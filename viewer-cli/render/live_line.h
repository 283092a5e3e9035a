// What `run --live` says in one line: step time, busy share, the largest cause, and how much of the
// run that is about.
#pragma once
#include <string>

#include "collector/model.h"

namespace gpustall::cli {

// "GPU busy 20.7 %  42.2 ms/step  data.main 54.0 % train_slow.py:28  (last 18.2 s)"; `whole`:
// nothing of the run is left out. Empty without a device.
std::string live_line(const collect::Model& model, bool whole);

}  // namespace gpustall::cli
