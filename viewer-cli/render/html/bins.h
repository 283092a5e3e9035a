// The numbers behind the two pictures over time: busy and idle by series, in at most a few hundred
// bins. Exact sums; what a bin holds is divided only when it is drawn.
#pragma once
#include <cstdint>
#include <vector>

#include "collector/model.h"
#include "viewer-cli/render/html/palette.h"

namespace gpustall::cli {

struct Bins {
  std::vector<int64_t> busy_ns;               // by bin
  std::vector<std::vector<int64_t>> idle_ns;  // by series and bin
  std::vector<int64_t> most_ns;               // by bin: the longest step in it; steps only
  uint64_t count = 0;                         // steps, or ns, in all bins together
  uint64_t per_bin = 1;                       // steps, or ns, in each bin but the last

  size_t size() const { return busy_ns.size(); }
  uint64_t in_bin(size_t bin) const {
    return bin + 1 < size() ? per_bin : count - per_bin * (size() - 1);
  }
  int64_t total_ns(size_t bin) const;
};

// Every step of the recording; empty without steps.
Bins step_bins(const collect::ModelDevice& device, const Palette& palette, size_t most_bins);
// The device's whole span; empty when the model was saved by an older gpustall.
Bins time_bins(const collect::ModelDevice& device, const Palette& palette, size_t most_bins);

}  // namespace gpustall::cli
