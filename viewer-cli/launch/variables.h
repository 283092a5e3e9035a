// The environment in which a program records itself: preload, injection, folder, settings.
#pragma once
#include <string>
#include <vector>

#include "viewer-cli/launch/record_options.h"

namespace gpustall::cli {

struct Preparation {
  Variables variables;             // to set, in the order to print
  std::vector<std::string> notes;  // what the user should know: variables that were taken already
};

// Everything but the folder. Throws Failure when something is not installed, so it comes before a
// folder is made or replaced.
Preparation prepare(const RecordOptions& options);

// Adds the folder (absolute) and the id of this run. Without it the library names both itself.
void name_run(Preparation& preparation, const std::string& output);

}  // namespace gpustall::cli
