#include "test/unit/import/nsys_file.h"

#include <sqlite3.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "collector/load.h"

namespace gpustall::test {

const char* const kKernelTable =
    "CREATE TABLE IF NOT EXISTS CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER,"
    " deviceId INTEGER, contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid"
    " INTEGER, demangledName INTEGER, shortName INTEGER, graphNodeId INTEGER);";
const char* const kCallTable =
    "CREATE TABLE IF NOT EXISTS CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER,"
    " eventClass INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue"
    " INTEGER, callchainId INTEGER);";

NsysFile::NsysFile(const std::string& version) {
  char name[] = "/tmp/gpustall-nsys-XXXXXX";
  folder_ = mkdtemp(name);
  path_ = folder_ / "a report?#1%.sqlite";  // signs that a URI would take for its own
  run("PRAGMA page_size = 1024;"
      "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
      "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"
      "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '" +
      version + "'), ('EXPORT_USER', 'somebody');");
}

NsysFile::~NsysFile() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void NsysFile::run(const std::string& statements) {
  sqlite3* database = nullptr;
  sqlite3_open(path_.c_str(), &database);
  sqlite3_exec(database, "PRAGMA synchronous = OFF", nullptr, nullptr, nullptr);
  char* error = nullptr;
  sqlite3_exec(database, statements.c_str(), nullptr, nullptr, &error);
  const std::string what = error == nullptr ? "" : error;
  sqlite3_free(error);
  sqlite3_close(database);
  if (!what.empty()) throw std::invalid_argument(what + " in: " + statements);
}

NsysFile& NsysFile::sql(const std::string& statements) {
  run(statements);
  return *this;
}

int64_t NsysFile::text(const std::string& value) {
  std::string hex;
  for (const unsigned char c : value) {
    static constexpr char kDigits[] = "0123456789abcdef";
    hex += kDigits[c >> 4];
    hex += kDigits[c & 15];
  }
  run("INSERT INTO StringIds VALUES (" + std::to_string(++texts_) + ", CAST(x'" + hex +
      "' AS TEXT));");
  return texts_;
}

NsysFile& NsysFile::kernel(int64_t start, int64_t end, int64_t correlation, int64_t pid,
                           int64_t device, int64_t stream) {
  std::ostringstream row;
  const int64_t name = text("gemm");
  row << kKernelTable << "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" << start << ',' << end
      << ',' << device << ",1," << stream << ',' << correlation << ',' << nsys_id(1, pid) << ','
      << name << ',' << name << ",NULL);";
  return sql(row.str());
}

NsysFile& NsysFile::call(int64_t start, int64_t end, const std::string& name, int64_t correlation,
                         int64_t pid, int64_t event_class) {
  std::ostringstream row;
  row << kCallTable << "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" << start << ',' << end
      << ',' << event_class << ',' << nsys_id(1, pid, pid) << ',' << correlation << ','
      << text(name) << ",0,0);";
  return sql(row.str());
}

std::string NsysFile::bytes() const {
  std::ifstream file(path_, std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  return all.str();
}

collect::Result<collect::Recording> NsysFile::load() const {
  return collect::load(path_);
}

collect::Recording NsysFile::recording() const {
  collect::Result<collect::Recording> loaded = load();
  if (!loaded) throw std::runtime_error(loaded.error().message);
  return std::move(*loaded);
}

}  // namespace gpustall::test
