// LD_PRELOAD as the dynamic loader reads it: entries separated by spaces and colons, so that a path
// with either would be torn apart, and silently nothing be recorded.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gpustall::cli {

// The path itself, or an equal one without spaces and colons: through a link in a folder that only
// this user can write, /tmp/gpustall-<uid>. Throws Failure when that folder is not safe.
std::string preloadable(const std::string& library);

// The libraries in order, then what else was preloaded before.
std::string preload_list(const std::vector<std::string>& libraries, std::string_view before);

}  // namespace gpustall::cli
