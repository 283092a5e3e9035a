// One table as CSV (RFC 4180, with a header) or as JSON lines. Values come in the order of the
// columns.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "viewer-cli/export/text_sink.h"

namespace gpustall::cli {

enum class TableFormat { Csv, JsonLines };

class TableText {
 public:
  TableText(TextSink& sink, TableFormat format, std::string_view table,
            std::span<const std::string_view> columns);
  void value(int64_t number);
  void value(std::string_view text);  // UTF-8; empty is none
  void none();
  void end_row();

 private:
  void next();
  TextSink& sink_;
  const TableFormat format_;
  const std::string table_;
  const std::span<const std::string_view> columns_;
  size_t column_ = 0;
  std::string row_;
};

}  // namespace gpustall::cli
