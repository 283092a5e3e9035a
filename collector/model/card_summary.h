// The card of a device over the recording: how fast it was allowed to be.
#pragma once
#include <map>
#include <string>

#include "collector/model.h"

namespace gpustall::collect {

// Null: NVML told nothing of it.
std::optional<CardSummary> card_summary_of(const Recording& recording, DeviceIndex device);
// For the environment card: "gpu.clock", "gpu.link", "gpu.power_limit", as far as they are known.
void add_card_facts(const Recording& recording, std::map<std::string, std::string>& card);

}  // namespace gpustall::collect
