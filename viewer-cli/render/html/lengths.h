// How long the gaps are: idle time by the length of the gap that it is part of, on a logarithmic
// scale, by cause. Tells many short gaps (launching) from few long ones (a stall).
#pragma once
#include <string>
#include <vector>

#include "collector/model.h"
#include "viewer-cli/render/html/palette.h"

namespace gpustall::cli {

// By class of length, from the shortest that occurs to the longest.
struct Lengths {
  std::vector<int64_t> start_ns;              // one more than classes: where the last one ends
  std::vector<uint64_t> gaps;                 // how many
  std::vector<std::vector<int64_t>> idle_ns;  // by series and class

  size_t size() const { return gaps.size(); }
  int64_t total_ns(size_t at) const;
};

// Of the whole recording; empty when the model was saved by an older gpustall.
Lengths lengths_of(const collect::ModelDevice& device, const Palette& palette);
// "1,200 gaps; the 12 of 500 us and longer make up 63.0 % of the idle time."
std::string lengths_sentence(const Lengths& lengths);
std::string lengths_figure(const Lengths& lengths, const Palette& palette);

}  // namespace gpustall::cli
