// Of a path the part behind the last slash; the whole where there is none.
#pragma once
#include <string>
#include <string_view>

namespace gpustall::collect {

inline std::string base_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

}  // namespace gpustall::collect
