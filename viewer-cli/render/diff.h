// `gpustall diff` as text and as Markdown: verdict, the runs, what differs around them, the table
// of changes, what the comparison does not know. Everything comes from the Comparison.
#pragma once
#include <string>

#include "collector/compare/comparison.h"
#include "viewer-cli/terminal.h"

namespace gpustall::cli {

enum class DiffBy { Site, Cause, Line };

struct DiffOptions {
  DiffBy by = DiffBy::Site;          // what a row of idle time is
  bool verbose = false;              // every difference of the environment
  std::string gate;                  // a sentence about the gate; empty: none
  std::string base_path, next_path;  // what the user named, for the next command
};

std::string render_diff(const collect::Comparison& comparison, const DiffOptions& options,
                        const Terminal& terminal);
std::string render_diff_markdown(const collect::Comparison& comparison, const DiffOptions& options);

}  // namespace gpustall::cli
