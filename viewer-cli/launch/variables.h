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

// `output`: absolute folder, empty: the library chooses. Throws Failure.
Preparation prepare(const RecordOptions& options, const std::string& output);

}  // namespace gpustall::cli
