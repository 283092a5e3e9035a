// Slower machine or other program? What the recordings hold besides idle time: how long the same
// kernels, copies and launches take on both sides. Nothing is said without its figures.
#pragma once
#include <span>
#include <vector>

#include "collector/compare/comparison.h"

namespace gpustall::collect {

// `devices`: of each run the one that `comparison` is about. Most telling first.
std::vector<Reason> reasons_for(std::span<const Model> base, std::span<const Model> next,
                                std::span<const ModelDevice* const> base_devices,
                                std::span<const ModelDevice* const> next_devices,
                                const DeviceComparison& comparison,
                                const std::vector<EnvironmentDifference>& environment);

}  // namespace gpustall::collect
