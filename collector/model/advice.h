// What to do about a cause on this machine: the remedy of causes.def, and for the DataLoader with
// the numbers that fit the recording.
#pragma once
#include <optional>

#include "collector/model.h"

namespace gpustall::collect {

// Cores that the training process could use at once: those it is allowed, or fewer where a quota
// says so. Nothing where it was not recorded.
std::optional<uint32_t> usable_cores(const Model& model);

// Never more workers than cores. `device`: of the model, on which the cause was found.
std::string advice_for(const Model& model, const ModelDevice& device, Cause cause);

}  // namespace gpustall::collect
