// Looks now and then at the processes below the child, so that a run without a recording can be
// explained: was the library loaded, was there a GPU library, was there a Python?
#pragma once
#include <sys/types.h>

#include <set>
#include <string>

namespace gpustall::cli {

struct Witness {
  unsigned looks = 0;  // 0: the program ended before the first one
  bool gpu_library_loaded = false;
  // Names of programs in which our library was not, though it should have been: programs with a GPU
  // library, and all when none had ours (a shell that has it may start others that have not).
  std::set<std::string> without_library;

  // Reads /proc of `root` and its descendants; ignores what it may not read.
  void look(pid_t root);
  // Why nothing was recorded, as sentences for people; most likely first.
  std::string explanation() const;
};

}  // namespace gpustall::cli
