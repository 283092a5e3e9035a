// check_trace FILE: says what of a timeline viewers would drop or misplace.
#include <cstdio>
#include <fstream>
#include <sstream>

#include "test/unit/export/trace_rules.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream in(argv[1], std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  const auto broken = gpustall::test::broken_rules(text.str());
  for (const std::string& sentence : broken) std::printf("%s\n", sentence.c_str());
  return broken.empty() ? 0 : 1;
}
