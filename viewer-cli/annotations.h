// GitHub's workflow commands: lines that the runner turns into remarks beside the code.
#pragma once
#include <string>
#include <vector>

#include "collector/compare/comparison.h"
#include "collector/compare/limits.h"

namespace gpustall::cli {

struct Annotation {
  bool is_error = false;
  std::string file;  // relative to the repository; empty: none
  int32_t line = 0;
  std::string title, message;
};

// "::error file=train.py,line=104,title=...::message\n"
std::string annotation_line(const Annotation& annotation);

// Rows that got slower and stand out; errors where the gate is exceeded.
std::vector<Annotation> annotations_of(const collect::Comparison& comparison,
                                       collect::Judgement judgement);
// Limits that were not kept: errors; that cannot be judged: warnings. At the largest sites.
std::vector<Annotation> annotations_of(const std::vector<collect::LimitResult>& results);

// The file of the current repository (GITHUB_WORKSPACE, else the current folder) that a recording
// knows by another root: the longest end of the path that exists here. Empty when none does.
std::string path_in_repository(const std::string& path);

}  // namespace gpustall::cli
