#include "collector/model/gap_lengths.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace gpustall::collect {
namespace {

// The last class whose start is not beyond the length.
size_t class_of(int64_t ns) {
  static const auto kStarts = [] {
    std::array<int64_t, kGapLengthClasses> starts{};
    for (size_t i = 0; i < starts.size(); ++i) starts[i] = gap_length_start(i);
    return starts;
  }();
  return static_cast<size_t>(std::upper_bound(kStarts.begin() + 1, kStarts.end(), ns) -
                             kStarts.begin() - 1);
}

}  // namespace

GapLengths gap_lengths(const Analysis& a, DeviceIndex device) {
  GapLengths out;
  out.gaps.resize(kGapLengthClasses);
  std::array<std::array<int64_t, kGapLengthClasses>, kCauseCount> by_cause{};
  for (uint32_t g = 0; g < a.gaps.size(); ++g) {
    if (a.gaps.device[g] != device) continue;
    const size_t at = class_of(a.gaps.end[g] - a.gaps.start[g]);
    ++out.gaps[at];
    for (uint32_t s = a.gaps.first_slice[g]; s < a.gaps.first_slice[g + 1]; ++s)
      by_cause[static_cast<size_t>(a.slices.cause[s])][at] += a.slices.end[s] - a.slices.start[s];
  }
  while (!out.gaps.empty() && out.gaps.back() == 0) out.gaps.pop_back();
  const auto classes = static_cast<ptrdiff_t>(out.gaps.size());
  for (size_t cause = 0; cause < kCauseCount; ++cause) {
    const auto& ns = by_cause[cause];
    if (std::any_of(ns.begin(), ns.end(), [](int64_t n) { return n != 0; }))
      out.idle.push_back({static_cast<Cause>(cause), {ns.begin(), ns.begin() + classes}});
  }
  const auto sum = [](const IdleSeries& s) {
    return std::accumulate(s.ns.begin(), s.ns.end(), int64_t{0});
  };
  std::stable_sort(out.idle.begin(), out.idle.end(),
                   [&](const IdleSeries& x, const IdleSeries& y) { return sum(x) > sum(y); });
  return out;
}

}  // namespace gpustall::collect
