// The one sentence at the top, and its code.
#pragma once
#include "collector/model.h"
#include "collector/recording.h"

namespace gpustall::collect {

void set_verdict(Model& model, const Recording& recording);

}  // namespace gpustall::collect
