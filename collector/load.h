// Opens whatever the user names: a trace directory, a .gst file, a torch.profiler JSON, an nsys
// sqlite.
#pragma once
#include <filesystem>
#include <functional>

#include "collector/recording.h"
#include "collector/result.h"

namespace gpustall::collect {

// Called now and then with the share done (0..1); may be empty.
using Progress = std::function<void(double)>;

// One error sentence with its remedy for what cannot be read at all; damage inside goes to
// Recording::damage.
Result<Recording> load(const std::filesystem::path& path, const Progress& progress = {});

}  // namespace gpustall::collect
