// What differs around the program: machine, versions, settings.
#pragma once
#include <span>
#include <vector>

#include "collector/compare/comparison.h"

namespace gpustall::collect {

// Values that one side has in several runs are joined. Keys that differ from run to run by nature
// (job numbers) are left out. may_explain first.
std::vector<EnvironmentDifference> environment_differences(std::span<const Model> base,
                                                           std::span<const Model> next);

}  // namespace gpustall::collect
