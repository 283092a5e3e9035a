// How many neighbours depend on each other, read off the autocorrelations.
#include <algorithm>
#include <cmath>

#include "collector/compare/resample.h"

namespace gpustall::collect {
namespace {

// The published choice minimises the mean error of the variance, and leaves it too small on
// average: for AR(1) series of 200 values by 15 %. Longer blocks leave 5 %, at the price of fewer
// of them, which Student's t accounts for.
constexpr double kSafety = 3;

// R(0..most), divided by n.
std::vector<double> autocovariances(std::span<const double> x, size_t most) {
  double mean = 0;
  for (const double v : x) mean += v / double(x.size());
  std::vector<double> r(most + 1);
  for (size_t lag = 0; lag <= most; ++lag) {
    for (size_t i = lag; i < x.size(); ++i) r[lag] += (x[i] - mean) * (x[i - lag] - mean);
    r[lag] /= double(x.size());
  }
  return r;
}

// The lag after which a run of autocorrelations is no larger than chance makes them.
size_t last_correlated(const std::vector<double>& r, size_t n, size_t run) {
  const double chance = 2 * std::sqrt(std::log10(double(n)) / double(n)) * r[0];
  size_t quiet = 0;
  for (size_t lag = 1; lag < r.size(); ++lag) {
    quiet = std::abs(r[lag]) < chance ? quiet + 1 : 0;
    if (quiet == run) return lag - run;
  }
  for (size_t lag = r.size() - 1; lag > 0; --lag)
    if (std::abs(r[lag]) >= chance) return lag;
  return 0;
}

}  // namespace

size_t longest_block(size_t steps) {
  return std::max<size_t>({1, steps / 6, std::min<size_t>(steps / 4, 16)});
}

size_t block_length(std::span<const double> x) {
  const size_t n = x.size();
  const auto root = static_cast<size_t>(std::ceil(std::sqrt(double(n))));
  const size_t most = longest_block(n);
  // Short series hide their dependence: never fewer than sqrt(n) neighbours.
  const size_t fewest = std::min(root, most);
  if (n < kFewestSteps) return fewest;
  const size_t run = std::max<size_t>(5, static_cast<size_t>(std::ceil(std::sqrt(std::log10(n)))));
  const std::vector<double> r = autocovariances(x, std::min(root + run, n - 1));
  if (r[0] <= 0) return fewest;
  const size_t window = std::min(2 * last_correlated(r, n, run), r.size() - 1);
  double spread = 0, total = r[0];  // sum |k| R(k), sum R(k), under a flat-top window
  for (size_t lag = 1; lag <= window; ++lag) {
    const double weight = std::min(1.0, 2 * (1 - double(lag) / double(window)));
    spread += 2 * weight * double(lag) * r[lag];
    total += 2 * weight * r[lag];
  }
  if (total <= 0) return fewest;
  const double ratio = spread / total;
  const double length = kSafety * std::cbrt(1.5 * ratio * ratio * double(n));
  return std::clamp(static_cast<size_t>(std::min(std::ceil(length), double(most))), fewest, most);
}

}  // namespace gpustall::collect
