#include "collector/import/json_cursor.h"

#include <simdjson.h>

#include <optional>

namespace gpustall::collect {
namespace {

std::optional<uint32_t> hex4(std::string_view text) {
  if (text.size() < 4) return {};
  uint32_t value = 0;
  for (char c : text.substr(0, 4)) {
    const char low = static_cast<char>(c | 0x20);
    if (c >= '0' && c <= '9')
      value = value * 16 + static_cast<uint32_t>(c - '0');
    else if (low >= 'a' && low <= 'f')
      value = value * 16 + static_cast<uint32_t>(low - 'a' + 10);
    else
      return {};
  }
  return value;
}

void append_utf8(uint32_t code, std::string& out) {
  const auto byte = [&out](uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | code >> 6), byte(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12), byte(0x80 | (code >> 6 & 0x3f)), byte(0x80 | (code & 0x3f));
  } else {
    byte(0xf0 | code >> 18), byte(0x80 | (code >> 12 & 0x3f));
    byte(0x80 | (code >> 6 & 0x3f)), byte(0x80 | (code & 0x3f));
  }
}

// \uXXXX at raw[i]; returns how many bytes it took. Halves of a pair that stand alone become '?'.
size_t unicode_escape(std::string_view raw, size_t i, std::string& out) {
  const std::optional<uint32_t> first = hex4(raw.substr(i + 2));
  if (!first) return out += '?', 2;
  if (*first < 0xd800 || *first > 0xdfff) return append_utf8(*first, out), 6;
  std::optional<uint32_t> second;
  if (*first < 0xdc00 && raw.substr(i + 6).starts_with("\\u")) second = hex4(raw.substr(i + 8));
  if (!second || *second < 0xdc00 || *second > 0xdfff) return out += '?', 6;
  append_utf8(0x10000 + ((*first - 0xd800) << 10) + (*second - 0xdc00), out);
  return 12;
}

std::string unescaped(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  for (size_t i = 0; i < raw.size();) {
    if (raw[i] != '\\' || i + 1 == raw.size()) {
      out += raw[i++];
      continue;
    }
    if (raw[i + 1] == 'u') {
      i += unicode_escape(raw, i, out);
      continue;
    }
    constexpr std::string_view kLetters = "bfnrt", kMeant = "\b\f\n\r\t";
    const size_t at = kLetters.find(raw[i + 1]);
    out += at == std::string_view::npos ? raw[i + 1] : kMeant[at];
    i += 2;
  }
  return out;
}

}  // namespace

std::string clean_text(std::string_view raw) {
  std::string text = raw.find('\\') == std::string_view::npos ? std::string(raw) : unescaped(raw);
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  if (!simdjson::validate_utf8(text.data(), text.size()))
    for (char& c : text)
      if (static_cast<unsigned char>(c) >= 0x80) c = '?';
  return text;
}

}  // namespace gpustall::collect
