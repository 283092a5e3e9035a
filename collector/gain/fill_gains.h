// Gives the largest rows of a model their predicted gains, and the model the combined one.
#pragma once
#include "collector/analysis.h"
#include "collector/model.h"

namespace gpustall::collect {

void fill_gains(const Recording& recording, const Analysis& analysis, Model& model);

}  // namespace gpustall::collect
