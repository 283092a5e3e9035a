// How often steps took how long: one run, or two on one scale.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gpustall::cli {

// Rare steps that take much longer than the others share the last bar, and are said. Empty with
// fewer than two steps.
std::string histogram(const std::vector<int64_t>& steps_ns);

using NamedSteps = std::pair<std::string, std::vector<int64_t>>;
// One above the other, with the same bars; empty unless both have two steps.
std::string two_histograms(const NamedSteps& upper, const NamedSteps& lower);

}  // namespace gpustall::cli
