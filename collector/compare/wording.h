// Numbers inside sentences.
#pragma once
#include <cmath>
#include <cstdio>
#include <string>

namespace gpustall::collect {

template <typename... Numbers>
std::string printed(const char* format, Numbers... numbers) {
  char text[256];
  std::snprintf(text, sizeof text, format, numbers...);
  return text;
}

// "40.33", "0.412": milliseconds with three or four digits.
inline std::string ms_text(double ns) {
  const double size = std::abs(ns);
  return printed(size >= 100e6 ? "%.1f" : size >= 1e6 ? "%.2f" : "%.3f", ns / 1e6);
}

// "3.41 us"
inline std::string us_text(double ns) {
  return printed(std::abs(ns) >= 100e3 ? "%.0f us" : "%.3g us", ns / 1e3);
}

// "+1.18", "-22.9"
inline std::string signed_ms(double ns) {
  return (ns < 0 ? "-" : "+") + ms_text(std::abs(ns));
}

}  // namespace gpustall::collect
