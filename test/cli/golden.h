// Compares text with a file of golden/. GPUSTALL_REGEN=1 writes the files anew, for review by diff.
#pragma once
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "test/catch.h"

namespace gpustall::test {

inline void check_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(GPUSTALL_GOLDEN_DIR) + "/" + name;
  if (std::getenv("GPUSTALL_REGEN") != nullptr) std::ofstream(path) << text;
  std::ifstream in(path);
  std::ostringstream expected;
  expected << in.rdbuf();
  INFO("golden file: " << path);
  CHECK(text == expected.str());
}

}  // namespace gpustall::test
