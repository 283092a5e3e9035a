// What the fake core remembers, for the probe.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "libinterpose/helper.h"
#include "libinterpose/trace/format.h"

namespace gpustall::interpose::fake {

struct Code {
  std::string file, function;
  uint32_t first_line;
  std::string line_table;
};
struct Node {
  uint32_t parent, code;
  int64_t position;
};
struct Line {
  std::string file, function;
  uint32_t first_line;
  int64_t position;
  std::string line_table;
};

extern std::vector<Code> codes;
extern std::vector<Node> nodes;
extern std::vector<std::vector<uint64_t>> natives;
extern std::vector<Job> jobs;
extern std::map<trace::LossKind, uint64_t> losses;
extern std::vector<std::string> notices;
extern trace::FileHeader header;
extern ThreadState* sampled;  // whose stream the real job wrote to

// Innermost first.
std::vector<Line> lines_of(uint32_t stack);

}  // namespace gpustall::interpose::fake
