// Rounding for people. Never used for anything that is computed with afterwards.
#include "viewer-cli/render/units.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace gpustall::cli {

namespace {

std::string fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

int places(double value) {
  return value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
}

}  // namespace

std::string milliseconds(double ns, int decimals) {
  return fixed(ns / 1e6, decimals);
}

int decimals_for(double largest_ns) {
  if (largest_ns >= 100e6) return 1;
  return largest_ns >= 1e6 ? 2 : 3;
}

std::string duration(double ns) {
  if (ns >= 1e9) return fixed(ns / 1e9, places(ns / 1e9)) + " s";
  if (ns >= 1e6) return fixed(ns / 1e6, places(ns / 1e6)) + " ms";
  if (ns >= 1e3) return fixed(ns / 1e3, places(ns / 1e3)) + " us";
  return fixed(ns, 0) + " ns";
}

std::string percent(double fraction) {
  return fixed(fraction * 100, 1) + " %";
}

std::string quantity(double number) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", number);
  return number < 999.5 ? text : grouped(static_cast<uint64_t>(std::llround(std::atof(text))));
}

std::string grouped(uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::vector<int64_t> round_together(const std::vector<double>& parts, double unit) {
  std::vector<int64_t> rounded(parts.size());
  std::vector<double> remainder(parts.size());
  double sum = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    sum += parts[i];
    rounded[i] = static_cast<int64_t>(std::floor(parts[i] / unit));
    remainder[i] = parts[i] / unit - static_cast<double>(rounded[i]);
  }
  int64_t missing =
      std::llround(sum / unit) - std::accumulate(rounded.begin(), rounded.end(), int64_t{0});
  std::vector<size_t> order(parts.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return remainder[a] > remainder[b]; });
  for (size_t i = 0; i < order.size() && missing > 0; ++i, --missing) ++rounded[order[i]];
  return rounded;
}

}  // namespace gpustall::cli
