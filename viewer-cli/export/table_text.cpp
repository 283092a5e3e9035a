#include "viewer-cli/export/table_text.h"

#include <stdexcept>

#include "viewer-cli/export/json_text.h"

namespace gpustall::cli {

TableText::TableText(TextSink& sink, TableFormat format, std::string_view table,
                     std::span<const std::string_view> columns)
    : sink_(sink), format_(format), table_(table), columns_(columns) {
  if (format_ == TableFormat::JsonLines) return;
  for (const std::string_view column : columns_) {
    next();
    row_ += column;
  }
  end_row();
}

// Before a value: what parts it from the one before.
void TableText::next() {
  if (column_ == columns_.size()) throw std::logic_error("more values than columns in " + table_);
  if (format_ == TableFormat::Csv) {
    if (column_ > 0) row_ += ',';
  } else {
    if (column_ == 0) row_ = "{\"table\":\"" + table_ + "\"";
    row_ += ",\"";
    row_ += columns_[column_];
    row_ += "\":";
  }
  ++column_;
}

void TableText::value(int64_t number) {
  next();
  append_number(row_, number);
}

void TableText::value(std::string_view text) {
  if (text.empty()) return none();
  next();
  if (format_ == TableFormat::JsonLines) return append_quoted(row_, text);
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    row_ += text;
    return;
  }
  row_ += '"';
  for (const char c : text) row_ += c == '"' ? std::string("\"\"") : std::string(1, c);
  row_ += '"';
}

void TableText::none() {
  next();
  if (format_ == TableFormat::JsonLines) row_ += "null";
}

void TableText::end_row() {
  if (column_ != columns_.size()) throw std::logic_error("values are missing in " + table_);
  row_ += format_ == TableFormat::Csv ? "\n" : "}\n";
  sink_.write(row_);
  row_.clear();
  column_ = 0;
}

}  // namespace gpustall::cli
