// Splitting of the builders' small languages.
#pragma once
#include <string_view>
#include <vector>

namespace gpustall::test {

inline std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The trimmed, non-empty parts between separators.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = text.find(separator);
    const std::string_view part = trimmed(text.substr(0, end));
    if (!part.empty()) parts.push_back(part);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return parts;
}

}  // namespace gpustall::test
