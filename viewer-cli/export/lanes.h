// Rows of one track that overlap go to lanes of their own: viewers drop or misplace what overlaps
// without nesting. Rows come in the order of their start.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpustall::cli {

class Lanes {
 public:
  enum class Shape { Flat, Nested };  // may a row lie inside another of its lane?
  static constexpr size_t kMost = 256;
  static constexpr size_t kNone = SIZE_MAX;  // more overlap than anybody could look at

  explicit Lanes(Shape shape) : shape_(shape) {}

  size_t place(int64_t start, int64_t end) {
    for (size_t lane = 0; lane < lanes_.size(); ++lane)
      if (fits(lanes_[lane], start, end)) return lanes_[lane].push_back(end), lane;
    if (lanes_.size() == kMost) return kNone;
    lanes_.push_back({end});
    return lanes_.size() - 1;
  }
  // Whether a row of the lane is open at the time; no row that starts later may have been placed.
  bool open_at(size_t lane, int64_t time) const {
    if (lane >= lanes_.size()) return false;
    for (const int64_t end : lanes_[lane])
      if (end > time) return true;
    return false;
  }

 private:
  bool fits(std::vector<int64_t>& open_ends, int64_t start, int64_t end) const {
    while (!open_ends.empty() && open_ends.back() <= start) open_ends.pop_back();
    return open_ends.empty() || (shape_ == Shape::Nested && end <= open_ends.back());
  }
  Shape shape_;
  std::vector<std::vector<int64_t>> lanes_;  // the ends of what is open, innermost last
};

}  // namespace gpustall::cli
