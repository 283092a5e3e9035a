// What the DataLoader's worker processes did while the training process waited for them.
#pragma once
#include "collector/model.h"

namespace gpustall::collect {

std::vector<LoaderSummary> loaders_of(const Recording& recording, const Analysis& analysis,
                                      const Model& model);

}  // namespace gpustall::collect
