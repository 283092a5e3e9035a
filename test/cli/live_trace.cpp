// cli_live_trace FILE: the trace of a running loop, for live_test.py.
#include <fstream>

#include "test/builder/loop_trace.h"

int main(int count, char** words) {
  if (count != 2) return 2;
  std::ofstream file(words[1], std::ios::binary);
  file << gpustall::test::loop_trace(200).bytes();
  return file.good() ? 0 : 1;
}
