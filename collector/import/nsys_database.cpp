#include "collector/import/nsys_database.h"

#include <algorithm>
#include <system_error>

namespace gpustall::collect {
namespace {

constexpr size_t kLongestText = 64 * 1024;
constexpr int kLongestValue = 256 * 1024 * 1024;

// "file:" URIs give '?', '#' and '%' a meaning.
std::string uri_of(const std::filesystem::path& path) {
  std::error_code ignored;
  const std::filesystem::path whole = std::filesystem::absolute(path, ignored);
  static constexpr char kHex[] = "0123456789abcdef";
  std::string uri = "file:";
  for (const char c : whole.string()) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > 0x20 && byte < 0x7f && c != '?' && c != '#' && c != '%') {
      uri += c;
    } else {
      uri += '%';
      uri += kHex[byte >> 4];
      uri += kHex[byte & 15];
    }
  }
  return uri + "?mode=ro&immutable=1";
}

std::string in_quotes(std::string_view name) {
  std::string text = "\"";
  for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

}  // namespace

std::string_view NsysRow::text(int column) const {
  if (sqlite3_column_type(statement_, column) != SQLITE_TEXT) return {};
  const unsigned char* bytes = sqlite3_column_text(statement_, column);
  if (bytes == nullptr) return {};
  const auto size = static_cast<size_t>(sqlite3_column_bytes(statement_, column));
  return {reinterpret_cast<const char*>(bytes), std::min(size, kLongestText)};
}

Result<NsysDatabase> NsysDatabase::open(const std::filesystem::path& path) {
  NsysDatabase out;
  sqlite3* database = nullptr;
  constexpr int kFlags = SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  const int opened = sqlite3_open_v2(uri_of(path).c_str(), &database, kFlags, nullptr);
  out.database_.reset(database);
  if (opened != SQLITE_OK)
    return Error{path.string() + " cannot be opened as SQLite: " + sqlite3_errstr(opened) +
                 "; export it again with `nsys export --type sqlite`"};
  sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_limit(database, SQLITE_LIMIT_LENGTH, kLongestValue);
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(path, unknown);
  out.most_rows_ = unknown ? INT64_MAX : static_cast<int64_t>(bytes / 2);
  if (!out.list_tables())
    return Error{path.string() + " is damaged: SQLite says \"" + sqlite3_errmsg(database) +
                 "\" of its list of tables; export it again with `nsys export --type sqlite`"};
  return out;
}

NsysDatabase::Statement NsysDatabase::prepare(const std::string& sql) const {
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v2(database_.get(), sql.c_str(), static_cast<int>(sql.size()), &statement,
                     nullptr);
  return Statement(statement);
}

bool NsysDatabase::list_tables() {
  // rootpage 0: a virtual table, whose module would run code on what the file says.
  const Statement list =
      prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0");
  if (!list) return false;
  int status = SQLITE_ROW;
  while ((status = sqlite3_step(list.get())) == SQLITE_ROW)
    tables_.emplace_back(NsysRow(list.get()).text(0));
  std::sort(tables_.begin(), tables_.end());
  return status == SQLITE_DONE || !tables_.empty();
}

bool NsysDatabase::has_table(std::string_view table) const {
  return std::binary_search(tables_.begin(), tables_.end(), table);
}

std::vector<std::string> NsysDatabase::columns_of(const std::string& table) const {
  std::vector<std::string> columns;
  const Statement list = prepare("PRAGMA table_info(" + in_quotes(table) + ")");
  while (list && sqlite3_step(list.get()) == SQLITE_ROW)
    columns.emplace_back(NsysRow(list.get()).text(1));
  return columns;
}

bool NsysDatabase::has_column(const std::string& table, std::string_view column) const {
  const std::vector<std::string> columns = columns_of(table);
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

int64_t NsysDatabase::rows(const std::string& table) const {
  if (!has_table(table)) return 0;
  const Statement last = prepare("SELECT max(rowid) FROM " + in_quotes(table));
  if (!last || sqlite3_step(last.get()) != SQLITE_ROW) return 0;
  return std::clamp<int64_t>(NsysRow(last.get()).integer_or(0, 0), 0, most_rows_);
}

NsysDatabase::Outcome NsysDatabase::each(const std::string& table, Columns columns,
                                         const std::function<bool(const NsysRow&)>& row) const {
  Outcome outcome;
  if (!has_table(table)) return outcome;
  const std::vector<std::string> present = columns_of(table);
  std::string list;
  for (std::string_view column : columns) {
    const bool optional = column.starts_with('?');
    if (optional) column.remove_prefix(1);
    const bool found = std::find(present.begin(), present.end(), column) != present.end();
    if (!found && !optional) return {Read::LacksColumn, 0, std::string(column)};
    // A quoted name that is no column would be taken for a string.
    list += (list.empty() ? "" : ", ") + (found ? in_quotes(column) : std::string("NULL"));
  }
  const Statement all = prepare("SELECT " + list + " FROM " + in_quotes(table) + " NOT INDEXED");
  if (!all) return {Read::Damaged, 0, sqlite3_errmsg(database_.get())};
  outcome.read = Read::Whole;
  int status = SQLITE_ROW;
  while ((status = sqlite3_step(all.get())) == SQLITE_ROW) {
    if (++outcome.rows > most_rows_) return {Read::Damaged, outcome.rows, "its pages repeat"};
    if (!row(NsysRow(all.get()))) return outcome;
  }
  if (status != SQLITE_DONE) {
    outcome.read = Read::Damaged;
    outcome.detail = sqlite3_errmsg(database_.get());
  }
  return outcome;
}

std::optional<std::string> NsysDatabase::text_of(int64_t id) {
  if (!text_) text_ = prepare("SELECT value FROM StringIds WHERE id = ?1");
  if (!text_) return {};
  std::optional<std::string> text;
  sqlite3_bind_int64(text_.get(), 1, id);
  if (sqlite3_step(text_.get()) == SQLITE_ROW) text = std::string(NsysRow(text_.get()).text(0));
  sqlite3_reset(text_.get());
  return text;
}

}  // namespace gpustall::collect
