#include "collector/model/gap_lengths.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace gpustall::collect {
namespace {

// The last class whose start is not beyond the length.
size_t class_of(int64_t ns) {
  size_t at = 0;
  while (at + 1 < kGapLengthClasses && gap_length_start(at + 1) <= ns) ++at;
  return at;
}

}  // namespace

GapLengths gap_lengths(const Analysis& a, DeviceIndex device) {
  GapLengths out;
  out.gaps.resize(kGapLengthClasses);
  std::map<Cause, std::vector<int64_t>> by_cause;
  for (uint32_t g = 0; g < a.gaps.size(); ++g) {
    if (a.gaps.device[g] != device) continue;
    const size_t at = class_of(a.gaps.end[g] - a.gaps.start[g]);
    ++out.gaps[at];
    for (uint32_t s = a.gaps.first_slice[g]; s < a.gaps.first_slice[g + 1]; ++s) {
      std::vector<int64_t>& ns = by_cause[a.slices.cause[s]];
      ns.resize(kGapLengthClasses);
      ns[at] += a.slices.end[s] - a.slices.start[s];
    }
  }
  while (!out.gaps.empty() && out.gaps.back() == 0) out.gaps.pop_back();
  for (auto& [cause, ns] : by_cause) {
    ns.resize(out.gaps.size());
    out.idle.push_back({cause, std::move(ns)});
  }
  const auto sum = [](const IdleSeries& s) {
    return std::accumulate(s.ns.begin(), s.ns.end(), int64_t{0});
  };
  std::stable_sort(out.idle.begin(), out.idle.end(),
                   [&](const IdleSeries& x, const IdleSeries& y) { return sum(x) > sum(y); });
  return out;
}

}  // namespace gpustall::collect
