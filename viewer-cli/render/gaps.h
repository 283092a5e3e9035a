// `gpustall gaps`: every idle gap with the slices that tile it, to the nanosecond, as text or as
// one JSON object per line. As text, a gap of many slices is summed by cause and site. Times are of
// the device's own clock; "at" counts from its first work.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/analysis.h"
#include "collector/recording.h"
#include "viewer-cli/render/places.h"

namespace gpustall::cli {

struct GapOptions {
  std::optional<collect::Cause> cause;  // only gaps with a slice of it
  std::optional<uint32_t> device;       // ordinal
  size_t longest = 0;                   // 0: all, in the order of time
};

// Indexes into analysis.gaps.
std::vector<size_t> chosen_gaps(const collect::Recording& recording,
                                const collect::Analysis& analysis, const GapOptions& options);

// Writes one gap at a time, so that a million of them need no memory.
class GapWriter {
 public:
  GapWriter(const collect::Recording& recording, const collect::Analysis& analysis);
  // `full`: names of kernels as long as they are.
  std::string text(size_t gap, bool every_slice, bool full = false) const;
  std::string json(size_t gap) const;

 private:
  const collect::DeviceTimeline& timeline(size_t gap) const;
  std::string closing_name(size_t gap) const;
  std::string slice_text(size_t slice) const;
  std::string slices_text(size_t gap) const;
  std::string sums_text(size_t gap) const;

  const collect::Recording& recording_;
  const collect::Analysis& analysis_;
  Places places_;
};

}  // namespace gpustall::cli
