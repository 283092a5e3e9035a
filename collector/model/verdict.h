// The one sentence at the top, and its code.
#pragma once
#include "collector/model.h"

namespace gpustall::collect {

void set_verdict(Model& model);

}  // namespace gpustall::collect
