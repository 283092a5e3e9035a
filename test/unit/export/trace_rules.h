// The rules by which Perfetto and chrome://tracing draw a trace; what breaks one is dropped or
// misplaced there without a word.
//   slices of a track do not overlap unless one lies inside the other; those of streams and of
//   causes not even that; nothing has a negative length
//   each arrow has one beginning and one end, each inside of a slice of its track, and goes forward
//   each process and each track with slices has exactly one name
//   stacks that rows point at exist, and their parents
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gpustall::test {

// What is wrong with the text, at most some sentences; empty: nothing.
std::vector<std::string> broken_rules(std::string_view json);

}  // namespace gpustall::test
