// What GitHub Markdown would take for its own inside a table.
#pragma once
#include <string>

namespace gpustall::cli {

// Text: a bar would end the cell.
inline std::string cell(const std::string& text) {
  std::string safe;
  for (const char byte : text) {
    if (byte == '|' || byte == '\\' || byte == '*' || byte == '_' || byte == '<') safe += '\\';
    safe += byte;
  }
  return safe;
}

// A code span: a backtick would end it.
inline std::string code(std::string text) {
  for (char& byte : text) {
    if (byte == '`' || byte == '|') byte = '\'';
  }
  return text.empty() ? text : "`" + text + "`";
}

}  // namespace gpustall::cli
