// Which causes are drawn by themselves, in all pictures of a page alike: the largest by idle time,
// the rest as one, unknown always. Colour stands for the family, its stripes for the place within.
#pragma once
#include <array>
#include <map>
#include <string>
#include <vector>

#include "collector/model.h"

namespace gpustall::cli {

struct Series {
  std::string id;     // "sync.item"; "other", "unknown"
  std::string title;  // in words
  std::string style;  // CSS classes: "f-sync l1"
};

class Palette {
 public:
  explicit Palette(const collect::Model& model);
  explicit Palette(const std::map<collect::Cause, int64_t>& sums);
  const std::vector<Series>& series() const { return series_; }
  size_t size() const { return series_.size(); }
  size_t of(collect::Cause cause) const { return index_[static_cast<size_t>(cause)]; }
  const Series& style_of(collect::Cause cause) const { return series_[of(cause)]; }
  size_t other() const { return size() - 2; }

 private:
  std::vector<Series> series_;  // the last two are "other" and "unknown"
  std::array<size_t, collect::kCauseCount> index_{};
};

}  // namespace gpustall::cli
