// A SQLite file as a set of tables that may or may not be there. Read only and immutable: nothing
// is ever written beside the user's file, and no view, trigger or virtual table of it is ever run.
// Rows come forward only; a table or a row that is damaged ends or is skipped, with a count.
#pragma once
#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/result.h"

namespace gpustall::collect {

// The columns of one row, in the order in which they were asked for. Valid inside the callback
// only.
class NsysRow {
 public:
  explicit NsysRow(sqlite3_stmt* statement) : statement_(statement) {}
  // Nothing where the column is missing, NULL or of another type: SQLite would make a 0 of that.
  std::optional<int64_t> integer(int column) const {
    if (sqlite3_column_type(statement_, column) != SQLITE_INTEGER) return {};
    return sqlite3_column_int64(statement_, column);
  }
  int64_t integer_or(int column, int64_t otherwise) const {
    return integer(column).value_or(otherwise);
  }
  std::string_view text(int column) const;  // bytes as they are, at most 64 KiB of them

 private:
  sqlite3_stmt* statement_;
};

class NsysDatabase {
 public:
  static Result<NsysDatabase> open(const std::filesystem::path& path);

  bool has_table(std::string_view table) const;
  bool has_column(const std::string& table, std::string_view column) const;
  const std::vector<std::string>& tables() const { return tables_; }
  // An upper bound, from the last row id; 0 without the table.
  int64_t rows(const std::string& table) const;

  // One column of a query: a name, required unless it starts with '?'.
  using Columns = std::initializer_list<const char*>;
  enum class Read { Absent, LacksColumn, Whole, Damaged };
  struct Outcome {
    Read read = Read::Absent;
    int64_t rows = 0;
    std::string detail;  // the missing column, or what SQLite says
  };
  // Calls `row` for every row of `table`; false from it ends the reading.
  Outcome each(const std::string& table, Columns columns,
               const std::function<bool(const NsysRow&)>& row) const;
  // The text of `column` in the row whose integer primary key is `id`.
  std::optional<std::string> text_of(int64_t id);

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

  Statement prepare(const std::string& sql) const;
  bool list_tables();
  std::vector<std::string> columns_of(const std::string& table) const;

  std::unique_ptr<sqlite3, Close> database_;
  std::vector<std::string> tables_;  // sorted
  Statement text_;                   // of StringIds, made at its first use
  int64_t most_rows_ = 0;            // more cannot fit into the file: its pages run in circles
};

}  // namespace gpustall::collect
