// The programs of which it is known what removing their reads gains: the known cases of the lead
// rule.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "test/sim/program.h"

namespace gpustall::test::sim {

struct KnownProgram {
  std::string name;
  Program program;
  double gain_pct = 0;  // of the run
  std::set<char> removed{'a'};
};

const std::vector<KnownProgram>& known_programs();
// Two reads in a row, and a second read that takes the place of the first.
Program two_reads_in_a_row();
Program second_read_in_place();

}  // namespace gpustall::test::sim
