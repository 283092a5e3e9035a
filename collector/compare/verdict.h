// The sentence at the top of a comparison.
#pragma once
#include <string>
#include <vector>

#include "collector/compare/comparison.h"

namespace gpustall::collect {

// Of the device's step time alone.
Outcome outcome_of(const DeviceComparison& device);

// Rows of lines and of busy time that moved the way the step time did, and stand out from noise;
// largest first.
std::vector<const ChangeRow*> culprits(const DeviceComparison& device);

// The causes that a row's change is made of, largest first: one, or several of a line.
std::vector<Cause> telling_causes(const ChangeRow& row);

// "data.main at train.py:28"; "train.py:28" where several causes of the line changed
std::string name_of(const ChangeRow& row);

// Of comparison.devices.front().
std::string verdict_of(const Comparison& comparison);

}  // namespace gpustall::collect
