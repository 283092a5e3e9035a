// An analysis as text, for comparison with goldens: per device one line of totals, then one line
// per cause and site, largest first.
#pragma once
#include <string>

#include "collector/analysis.h"

namespace gpustall::test {

// "device 0: span 100 us, busy 60 us, idle 40 us\n  30 us sync.item train.py:12 main\n ..."
std::string causes_of(const collect::Recording& recording);
// The gaps, each with its slices: "gap 10..50 us\n  10..30 us data.main dataset.py:3 __getitem__\n"
std::string gaps_of(const collect::Recording& recording);
// A golden written with indentation: cut to its own margin, without the first line break.
std::string golden(std::string text);

}  // namespace gpustall::test
