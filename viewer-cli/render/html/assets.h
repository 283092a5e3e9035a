// The page's style and script, as they stand in report.css and the .js files beside it; put in by
// CMake.
#pragma once
#include <string_view>

namespace gpustall::cli {

std::string_view page_style();
std::string_view page_script();

}  // namespace gpustall::cli
