// What pictures of one device's whole recording need beyond the rows of its windows. Sums of a size
// that does not grow with the number of gaps, and exact: every idle nanosecond is in one interval
// of the timeline and in one node of the tree. Saved with the model (SCHEMA.md, "Overview").
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "collector/cause.h"

namespace gpustall::collect {

struct IdleSeries {
  Cause cause{};
  std::vector<int64_t> ns;  // by interval
};

// A node of the tree of Python stacks, weighted by idle time. Parents come before children; node 0
// is the root and has no frame.
struct IdleNode {
  uint32_t parent = 0;
  uint32_t frame = 0;                             // index into Overview::frames
  std::vector<std::pair<Cause, int64_t>> own_ns;  // idle whose stack ends here, or was cut here
};

struct GapPart {
  Cause cause{};
  uint32_t frame = 0;  // of its site
  int64_t ns = 0;
};

// Idle time by the length of the gap that it is part of, in classes that start at 1, 2, 5, 10, 20,
// 50, ... ns.
inline constexpr size_t kGapLengthClasses = 37;  // the last begins at 10^12 ns and has no end
constexpr int64_t gap_length_start(size_t length_class) {
  constexpr int64_t kFactors[] = {1, 2, 5};
  int64_t decade = 1;
  for (size_t i = 0; i < length_class / 3; ++i) decade *= 10;
  return kFactors[length_class % 3] * decade;
}
struct GapLengths {
  std::vector<uint64_t> gaps;    // by class; the last one is not empty
  std::vector<IdleSeries> idle;  // by class; as Overview::idle otherwise, sum = idle_ns
};

struct LongGap {
  int64_t start_ns = 0;  // since the device's first work
  int64_t ns = 0;
  int64_t step = -1;           // in which it starts, from 0; -1: in none
  std::string before;          // the work that ended it: a kernel's name, or its kind
  bool in_time_order = true;   // else parts are sums by cause and site, largest first
  std::vector<GapPart> parts;  // with rest_ns they add up to ns
  int64_t rest_ns = 0;
  // Frames of the largest part's longest slice, outermost first; of a deeper stack the innermost
  // kMostStackFrames. Empty: none was recorded.
  std::vector<uint32_t> stack;
};

inline constexpr size_t kMostStackFrames = 64;

struct Overview {
  int64_t interval_ns = 0;              // all but the last are this long
  std::vector<int64_t> busy_ns;         // by interval
  std::vector<IdleSeries> idle;         // largest first; with busy_ns they tile the span
  std::vector<std::string> frames{""};  // "file:line function"; 0: none
  std::vector<IdleNode> tree;           // sum of own_ns = idle_ns of the whole recording
  std::vector<LongGap> longest;         // longest first
  GapLengths lengths;                   // empty: saved by an older gpustall
};

}  // namespace gpustall::collect
