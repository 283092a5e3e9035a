#include "viewer-cli/render/html/svg.h"

#include <algorithm>
#include <cmath>

#include "viewer-cli/render/html/escape.h"

namespace gpustall::cli {

namespace {

constexpr size_t kMostBars = 120;  // more are drawn without space between them

// Bars with space between them when there are few, else one outline.
std::string path_of(const Band& band) {
  const size_t n = band.low.size();
  std::string d;
  if (n <= kMostBars) {
    for (size_t i = 0; i < n; ++i) {
      if (band.low[i] == band.high[i]) continue;
      d += "M" + std::to_string(i) + ".1 " + std::to_string(band.low[i]) + "h.8V" +
           std::to_string(band.high[i]) + "h-.8z";
    }
    return d;
  }
  // Stretches without anything are left out; each stretch goes out along `high`, back along `low`.
  for (size_t i = 0; i < n;) {
    if (band.low[i] == band.high[i]) {
      ++i;
      continue;
    }
    const size_t first = i;
    d += "M" + std::to_string(first) + " " + std::to_string(band.low[first]);
    for (; i < n && band.low[i] != band.high[i]; ++i)
      d += "V" + std::to_string(band.high[i]) + "h1";
    for (size_t back = i; back-- > first;) d += "V" + std::to_string(band.low[back]) + "h-1";
    d += "z";
  }
  return d;
}

}  // namespace

std::string number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (!text.empty() && text.back() == '.') text.pop_back();
  return text;
}

std::string path_element(const std::string& style, const std::string& series, const Band& band) {
  return "<path class=\"" + style + "\" data-s=\"" + series + "\" d=\"" + path_of(band) + "\"/>";
}

std::string svg_open(size_t bins, const std::string& more) {
  return "<svg viewBox=\"0 0 " + std::to_string(bins) + " " + std::to_string(kSvgHeight) +
         "\" preserveAspectRatio=\"none\" aria-hidden=\"true\"" + more + ">";
}

int svg_height(double value, double whole) {
  return static_cast<int>(std::lround(std::clamp(value / whole, 0.0, 1.0) * kSvgHeight));
}

std::string axis(const std::string& left, const std::string& middle, const std::string& right) {
  return "<div class=\"axis\"><span>" + escaped(left) + "</span><span>" + escaped(middle) +
         "</span><span>" + escaped(right) + "</span></div>";
}

}  // namespace gpustall::cli
