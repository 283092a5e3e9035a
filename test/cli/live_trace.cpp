// cli_live_trace FILE [FOLDER]: the trace of a running loop whose source is in FOLDER.
#include <fstream>

#include "test/builder/loop_trace.h"

int main(int count, char** words) {
  if (count < 2) return 2;
  std::ofstream file(words[1], std::ios::binary);
  file << gpustall::test::loop_trace(200, count > 2 ? words[2] : "/home/u").bytes();
  return file.good() ? 0 : 1;
}
