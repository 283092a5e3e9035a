// Random training programs: an input stage, a forward and a backward pass, an optimizer, and any
// mixture of stalls, each at a site of its own. The same seed gives the same program everywhere.
#pragma once
#include <cstdint>
#include <set>

#include "test/sim/program.h"

namespace gpustall::test::sim {

Program random_program(uint32_t seed);

// The site of every operation of the program that can be taken out, with its kind.
struct Removable {
  Op::Kind kind;
  char site;
  bool on_autograd = false;  // launches there carry no stack
  Op::On on = Op::Item;
  bool operator<(const Removable& other) const { return site < other.site; }
};
enum : char { kReadSite = 'R', kDecodeSite = 'D' };  // of the loader's costs: Op::NextBatch
std::set<Removable> removables(const Program& program);

}  // namespace gpustall::test::sim
