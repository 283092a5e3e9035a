// The value that a share of the others does not exceed.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace gpustall::collect {

// The nearest of the values, none between two; the default value when there are none. O(n).
template <typename T>
T quantile(std::vector<T> values, double share) {
  if (values.empty()) return T{};
  const auto at =
      static_cast<ptrdiff_t>(std::llround(share * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<size_t>(at)];
}

}  // namespace gpustall::collect
