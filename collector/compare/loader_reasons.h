// What differs in how both sides load their data, as far as the recordings show it: workers, how
// often they are started, pinned memory, the size of a batch.
#pragma once
#include <span>
#include <vector>

#include "collector/compare/comparison.h"

namespace gpustall::collect {

// As reasons_for(). Nothing of sides that do not see workers (importers) or do not have steps.
std::vector<Reason> loader_reasons(std::span<const Model> base, std::span<const Model> next,
                                   std::span<const ModelDevice* const> base_devices,
                                   std::span<const ModelDevice* const> next_devices,
                                   const DeviceComparison& comparison);

}  // namespace gpustall::collect
