// Text into HTML. Whatever comes from a recording (file names, source, kernel names) goes through
// here; nothing else may be put between the tags of a page.
#pragma once
#include <string>
#include <string_view>

namespace gpustall::cli {

// Safe as text and in quoted attributes; control characters and bytes that are no UTF-8 become '?'.
std::string escaped(std::string_view text);

// The same with arrows, ranges and margins as people set them: "14.0 -> 11.2..11.9 +-0.2" with an
// arrow, a dash and one sign.
std::string typeset(std::string_view text);

}  // namespace gpustall::cli
