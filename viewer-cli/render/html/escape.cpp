#include "viewer-cli/render/html/escape.h"

#include "viewer-cli/render/table.h"

namespace gpustall::cli {

namespace {

bool is_digit(char byte) {
  return byte >= '0' && byte <= '9';
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char byte : printable(text)) {
    switch (byte) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += byte;
    }
  }
  return safe;
}

std::string typeset(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string_view rest = text.substr(i);
    if (rest.substr(0, 4) == " -> ") {
      out += " \xe2\x86\x92 ";
      i += 3;
    } else if (rest.substr(0, 2) == ".." && i > 0 && is_digit(text[i - 1]) && rest.size() > 2 &&
               is_digit(rest[2])) {
      out += "\xe2\x80\x93";
      ++i;
    } else if (rest.substr(0, 2) == "+-") {
      out += "\xc2\xb1";
      ++i;
    } else {
      out += text[i];
    }
  }
  return escaped(out);
}

}  // namespace gpustall::cli
