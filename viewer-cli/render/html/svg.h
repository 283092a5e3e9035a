// Pieces that all pictures are made of. Coordinates are whole numbers: thousandths of the picture's
// height from its top, bins of its width.
#pragma once
#include <string>
#include <vector>

namespace gpustall::cli {

inline constexpr int kSvgHeight = 1000;

// One band of a stack: from `low` to `high` in every bin.
struct Band {
  std::vector<int> low, high;
};

int svg_height(double value, double whole);
std::string path_element(const std::string& style, const std::string& series, const Band& band);
std::string svg_open(size_t bins, const std::string& more = {});
// Three labels below a picture.
std::string axis(const std::string& left, const std::string& middle, const std::string& right);
std::string number(double value);

}  // namespace gpustall::cli
