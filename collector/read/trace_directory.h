// The trace files of a run's directory.
#pragma once
#include <filesystem>
#include <vector>

#include "collector/result.h"

namespace gpustall::collect {

// Every *.gst, by name. Without one: what was found instead and why nothing may have recorded.
Result<std::vector<std::filesystem::path>> traces_in(const std::filesystem::path& directory);

}  // namespace gpustall::collect
