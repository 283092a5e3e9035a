// A plain text table: aligned columns, at most one of which gives way when the line is too narrow:
// its cells are cut, and it is left out when too little would remain. No other cell is ever cut.
// Cells must be plain text (paint whole lines after).
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace gpustall::cli {

enum class Align { Left, Right };

struct Column {
  std::string title;
  Align align = Align::Left;
  bool may_shrink = false;
};

class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // The header line first; no trailing spaces, no newlines. Columns without any cell are left out.
  std::vector<std::string> lines(unsigned width) const;

 private:
  std::vector<size_t> widths(unsigned width) const;
  std::string line(const std::vector<std::string>& cells, const std::vector<size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Characters (code points) that the text takes on a terminal; wide glyphs are counted as one.
size_t display_width(std::string_view text);
// At most `width` characters, "..." at the end when cut.
std::string cut(std::string_view text, size_t width);
// What comes from a recording may hold anything: control characters and bytes that are no UTF-8
// become '?', so that no file name or kernel name can steer the terminal.
std::string printable(std::string_view text);
// Words, broken into lines of at most `width`; each line but the first starts with `indent` spaces.
std::string wrapped(std::string_view text, unsigned width, unsigned indent);

}  // namespace gpustall::cli
