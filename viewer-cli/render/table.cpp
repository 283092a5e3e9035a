// Layout of plain text. Knows nothing about what it prints.
#include "viewer-cli/render/table.h"

#include <algorithm>

namespace gpustall::cli {

namespace {

constexpr std::string_view kGap = "  ";
constexpr size_t kNarrowestColumn = 16;

bool continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

// Bytes of the first UTF-8 character; 0: it is none.
size_t character_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const size_t length = first < 0x80   ? 1
                        : first < 0xc2 ? 0
                        : first < 0xe0 ? 2
                        : first < 0xf0 ? 3
                        : first < 0xf5 ? 4
                                       : 0;
  if (length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if (!continues(text[i])) return 0;
  }
  return length;
}

// Marks that turn what follows them on the line around, and separators of lines: a name must not
// move the figures beside it. U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069.
bool moves_others(std::string_view character) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 2) return byte(0) == 0xd8 && byte(1) == 0x9c;
  if (character.size() != 3 || byte(0) != 0xe2) return false;
  const unsigned last = byte(2);
  if (byte(1) == 0x80) return last == 0x8e || last == 0x8f || (last >= 0xa8 && last <= 0xae);
  return byte(1) == 0x81 && last >= 0xa6 && last <= 0xa9;
}

std::string padded(const std::string& cell, size_t width, Align align) {
  const size_t taken = display_width(cell);
  const std::string space(width > taken ? width - taken : 0, ' ');
  return align == Align::Right ? space + cell : cell + space;
}

}  // namespace

size_t display_width(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return !continues(byte); }));
}

std::string cut(std::string_view text, size_t width) {
  if (display_width(text) <= width) return std::string(text);
  const size_t keep = width > 3 ? width - 3 : 0;
  size_t end = 0;
  for (size_t seen = 0; end < text.size(); ++end) {
    if (continues(text[end])) continue;
    if (seen++ == keep) break;
  }
  while (end > 0 && text[end - 1] == ' ') --end;
  return std::string(text.substr(0, end)) + "...";
}

std::string printable(std::string_view text) {
  std::string clean;
  while (!text.empty()) {
    const size_t length = character_length(text);
    const auto code = static_cast<unsigned char>(text[0]);
    const bool control = code < 0x20 || code == 0x7f;
    // C2 80 .. C2 9F are the 8-bit control characters.
    const bool wide_control =
        length == 2 && text[0] == '\xc2' && static_cast<unsigned char>(text[1]) < 0xa0;
    if (length == 0 || control || wide_control || moves_others(text.substr(0, length))) {
      clean += '?';
    } else {
      clean += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return clean;
}

std::string wrapped(std::string_view text, unsigned width, unsigned indent) {
  std::string out;
  size_t column = indent;
  while (!text.empty()) {
    const size_t space = text.find(' ');
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(space == std::string_view::npos ? text.size() : space + 1);
    if (word.empty()) continue;
    const size_t length = display_width(word);
    if (!out.empty() && column + 1 + length > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
    } else if (!out.empty()) {
      out += ' ';
      ++column;
    }
    out += word;
    column += length;
  }
  return out;
}

std::vector<size_t> Table::widths(unsigned width) const {
  std::vector<size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  size_t total = 0;
  for (size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] == 0) continue;  // an empty column has no header either
    widths[i] = std::max(widths[i], display_width(columns_[i].title));
    total += widths[i] + (total == 0 ? 1 : kGap.size());
  }
  for (size_t i = 0; i < widths.size(); ++i) {
    if (!columns_[i].may_shrink || total <= width) continue;
    const size_t excess = total - width;
    widths[i] = widths[i] >= excess + kNarrowestColumn ? widths[i] - excess : 0;
  }
  return widths;
}

std::string Table::line(const std::vector<std::string>& cells,
                        const std::vector<size_t>& widths) const {
  std::string line = " ";
  for (size_t i = 0; i < cells.size(); ++i) {
    if (widths[i] == 0) continue;
    if (line.size() > 1) line += kGap;
    line += padded(columns_[i].may_shrink ? cut(cells[i], widths[i]) : cells[i], widths[i],
                   columns_[i].align);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::vector<std::string> Table::lines(unsigned width) const {
  const std::vector<size_t> fitted = widths(width);
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  std::vector<std::string> lines{line(titles, fitted)};
  for (const auto& row : rows_) lines.push_back(line(row, fitted));
  return lines;
}

}  // namespace gpustall::cli
