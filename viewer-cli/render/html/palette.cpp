#include "viewer-cli/render/html/palette.h"

#include <algorithm>

namespace gpustall::cli {

namespace {

using collect::Cause;
using collect::CauseFamily;

constexpr size_t kMostSeries = 8;  // more colours cannot be told apart
constexpr int kStripes = 3;

// In the order of CauseFamily; also the names of colours in report.css.
constexpr const char* kFamilies[] = {"sync", "data",   "copy", "alloc", "launch",
                                     "host", "device", "cold", "tool",  "unknown"};

std::map<Cause, int64_t> sums_of(const collect::Model& model) {
  std::map<Cause, int64_t> sums;
  for (const collect::ModelDevice& device : model.devices) {
    // The page is about the steady state: what is large only in the warm-up comes after.
    const collect::Window& window = device.steady ? *device.steady : device.whole;
    for (const collect::CauseRow& row : window.causes) sums[row.cause] += row.ns;
  }
  return sums;
}

std::vector<Cause> largest(const std::map<Cause, int64_t>& sums) {
  std::vector<Cause> causes;
  for (const auto& [cause, ns] : sums) {
    if (family_of(cause) != CauseFamily::Unknown && ns > 0) causes.push_back(cause);
  }
  std::stable_sort(causes.begin(), causes.end(),
                   [&](Cause a, Cause b) { return sums.at(a) > sums.at(b); });
  if (causes.size() > kMostSeries) causes.resize(kMostSeries);
  return causes;
}

}  // namespace

Palette::Palette(const collect::Model& model) : Palette(sums_of(model)) {}

Palette::Palette(const std::map<Cause, int64_t>& sums) {
  std::array<int, std::size(kFamilies)> used{};
  const std::vector<Cause> causes = largest(sums);
  index_.fill(causes.size());
  for (const Cause cause : causes) {
    const auto family = static_cast<size_t>(family_of(cause));
    const int stripes = std::min(++used[family], kStripes);
    index_[static_cast<size_t>(cause)] = series_.size();
    series_.push_back({std::string(text_of(cause).id), std::string(text_of(cause).title),
                       std::string("f-") + kFamilies[family] + " l" + std::to_string(stripes)});
  }
  series_.push_back({"other", "all other causes", "f-other l1"});
  series_.push_back({"unknown", "without a known cause", "f-unknown l1"});
  for (unsigned cause = 0; cause < collect::kCauseCount; ++cause) {
    if (family_of(static_cast<Cause>(cause)) == CauseFamily::Unknown) index_[cause] = size() - 1;
  }
}

}  // namespace gpustall::cli
