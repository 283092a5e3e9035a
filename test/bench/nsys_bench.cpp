// How fast exports of Nsight Systems are read: rows per second of one core's own time, from the
// SQLite file to the sorted Recording. The budget is 1 M rows/s.
//   nsys_bench [thousand steps, default 200] [rounds, default 3]
// Makes a database under $TMPDIR (or /tmp), of five rows a step, and removes it.
#include <sqlite3.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>

#include "collector/import/import.h"

using namespace gpustall;

namespace {

constexpr const char* kSchema =
    "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; BEGIN;"
    "CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);"
    "INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.16.1');"
    "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
    "INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'cudaMemcpyAsync_v3020'),"
    " (3, 'void gemm<float>(float*)'), (4, 'read');"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,"
    " contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName"
    " INTEGER, shortName INTEGER, gridX INTEGER, gridY INTEGER, blockX INTEGER, graphNodeId"
    " INTEGER);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER,"
    " globalTid INTEGER, correlationId INTEGER, nameId INTEGER, returnValue INTEGER, callchainId"
    " INTEGER);"
    "CREATE TABLE OSRT_API (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER,"
    " nameId INTEGER, returnValue INTEGER, nestingLevel INTEGER, callchainId INTEGER);"
    "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid"
    " INTEGER, textId INTEGER, domainId INTEGER);";

// Row `i` by `i` alone, so that one statement makes a whole table.
std::string rows(const char* table, const std::string& values, long count) {
  return std::string("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ") +
         std::to_string(count - 1) + ") INSERT INTO " + table + " SELECT " + values + " FROM n;";
}

bool make(const std::string& path, long steps) {
  const std::string pid = std::to_string((1L << 48) + (100L << 24));
  const std::string tid = std::to_string((1L << 48) + (100L << 24) + 100);
  const std::string sql =
      kSchema +
      rows("CUPTI_ACTIVITY_KIND_KERNEL",
           "i*10000+4000, i*10000+9000, 0, 1, 7+i%4, i+1, " + pid + ", 3, 3, 64, 1, 256, NULL",
           steps) +
      rows("CUPTI_ACTIVITY_KIND_RUNTIME",
           "i*5000+1000, i*5000+3000, 0, " + tid + ", i/2+1+i%2*1000000000, 1+i%2, 0, 0",
           2 * steps) +
      rows(
          "NVTX_EVENTS",
          "i*10000, i*10000+5000, 59, 'aten::mm, seq = '||i||', op_id = '||i, " + tid + ", NULL, 0",
          steps) +
      rows("OSRT_API", "i*10000+9100, i*10000+9900, 27, " + tid + ", 4, 0, 0, 0", steps) +
      "COMMIT;";
  sqlite3* database = nullptr;
  sqlite3_open(path.c_str(), &database);
  char* error = nullptr;
  const bool made = sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &error) == SQLITE_OK;
  if (!made) std::fprintf(stderr, "nsys_bench: %s\n", error == nullptr ? "no database" : error);
  sqlite3_free(error);
  sqlite3_close(database);
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  const long steps = 1000 * (argc > 1 ? std::atol(argv[1]) : 200);
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 3;
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("gpustall-nsys-bench-" + std::to_string(getpid()));
  double best = 0;
  bool ok = steps > 0 && make(path.string(), steps);
  for (int round = 0; ok && round < rounds; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpu_start = std::clock();
    const auto recording = collect::import_nsys(path, {});
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    ok = recording && recording->calls.size() == static_cast<size_t>(2 * steps);
    if (!ok) break;
    const double cpu = static_cast<double>(std::clock() - cpu_start) / CLOCKS_PER_SEC;
    const double rate = 5.0 * static_cast<double>(steps) / cpu;
    std::printf("round %d: %.2f s, of a core %.2f s\n", round + 1, took.count(), cpu);
    if (rate > best) best = rate;
  }
  if (ok) std::printf("nsys: %.0f rows/s\n", best);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  return ok ? 0 : 1;
}
