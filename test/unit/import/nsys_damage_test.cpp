// Files that are not what they seem: every refusal is one sentence with a remedy, what can be read
// is read, and nothing crashes.
#include <random>

#include "collector/analysis.h"
#include "collector/load.h"
#include "test/builder/damage.h"
#include "test/catch.h"
#include "test/unit/import/nsys_file.h"

using namespace gpustall;
using namespace gpustall::collect;
using namespace gpustall::test;

namespace {

std::string refusal(const NsysFile& file) {
  const Result<Recording> r = file.load();
  REQUIRE_FALSE(r);
  CHECK(r.error().message.find('\n') == std::string::npos);
  CHECK(r.error().message.find("; ") != std::string::npos);
  return r.error().message;
}

bool mentions(const std::vector<std::string>& sentences, const std::string& part) {
  for (const std::string& s : sentences)
    if (s.find(part) != std::string::npos) return true;
  return false;
}

void fill(NsysFile& file, int kernels) {
  for (int64_t i = 0; i < kernels; ++i)
    file.call(i * 1000, i * 1000 + 300, "cudaLaunchKernel_v7000", i + 1)
        .call(i * 1000 + 310, i * 1000 + 900, "cudaStreamSynchronize_v3020", 1000 + i)
        .kernel(i * 1000 + 400, i * 1000 + 800, i + 1);
  const std::string thread = std::to_string(nsys_id(1, 100, 100));
  file.sql(
      "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT,"
      " globalTid INTEGER, textId INTEGER, domainId INTEGER); INSERT INTO NVTX_EVENTS VALUES"
      "(0,500,59,'aten::mm'," +
      thread + ",NULL,0),(10,NULL,60,'step'," + thread +
      ",NULL,0);"
      "CREATE TABLE OSRT_API (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER,"
      " nameId INTEGER, returnValue INTEGER); INSERT INTO OSRT_API VALUES (950,980,27," +
      thread + "," + std::to_string(file.text("read")) + ",0);");
}

// Whatever is in there: an answer, and one that can be analysed.
void must_survive(const NsysFile& scratch, const std::string& bytes) {
  write_file(scratch.path().string(), bytes);
  const Result<Recording> r = scratch.load();
  if (!r) {
    CHECK_FALSE(r.error().message.empty());
    return;
  }
  const Analysis a = analyze(*r);
  for (const DeviceTimeline& line : a.timelines) CHECK(line.busy_ns <= line.span_ns());
}

}  // namespace

TEST_CASE("nsys: another program's SQLite is refused with its tables' names") {
  NsysFile file;
  file.sql("DROP TABLE StringIds; DROP TABLE META_DATA_EXPORT; CREATE TABLE bookmarks (url TEXT);");
  CHECK_THAT(refusal(file), contains("its tables: bookmarks"));
  CHECK_THAT(refusal(file), contains("nsys export --type sqlite"));
}

TEST_CASE("nsys: without GPU rows the refusal counts what there is") {
  NsysFile file;
  file.call(0, 10, "cudaMalloc", 1);
  CHECK_THAT(refusal(file), contains("1 CUDA calls, but no kernel, copy or memset"));
  file.sql(kKernelTable);  // the table alone is no activity
  CHECK_THAT(refusal(file), contains("no GPU activity"));
}

TEST_CASE("nsys: an export that is being written is told to be") {
  NsysFile file;
  file.kernel(0, 10, 1);
  for (const char* end : {"-wal", "-journal"}) {
    const std::string beside = file.path().string() + end;
    write_file(beside, "");
    CHECK(file.recording().damage.empty());
    write_file(beside, "pages");
    CHECK(mentions(file.recording().damage, std::string(end) + " lies beside it"));
    std::filesystem::remove(beside);
  }
}

TEST_CASE("nsys: a schema from the future is read, with a warning") {
  NsysFile file("4.1.0");
  file.kernel(0, 10, 1);
  CHECK(mentions(file.recording().damage, "4.1.0 is newer than 3.25"));
}

TEST_CASE("nsys: a table without a column that matters is left out by name") {
  NsysFile file;
  file.kernel(0, 10, 1);
  file.sql(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, globalTid INTEGER, nameId"
      " INTEGER); INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1,2,3);");
  const Recording r = file.recording();
  CHECK(r.activities.size() == 1);
  CHECK(mentions(r.damage, "CUPTI_ACTIVITY_KIND_RUNTIME has no column end"));
}

TEST_CASE("nsys: rows with wrong types, NULLs and absurd numbers are left out and counted") {
  NsysFile file;
  file.kernel(1000, 2000, 1).kernel(3000, 4000, 2).kernel(5000, 6000, 3);
  const std::string pid = std::to_string(nsys_id(1, 100));
  const std::vector<std::string> wrong{"'abc',10,0,1,7,4," + pid + ",1,1,NULL",
                                       "10,NULL,0,1,7,4," + pid + ",1,1,NULL",
                                       "20,10,0,1,7,4," + pid + ",1,1,NULL",
                                       "10,20,0,1,7,4,NULL,1,1,NULL",
                                       "10,20,0,1,7,4,-5,1,1,NULL",
                                       "10,9223372036854775807,0,1,7,4," + pid + ",1,1,NULL",
                                       "1.5,20,0,1,7,4," + pid + ",1,1,NULL",
                                       "10,20,x'00',1,7,4," + pid + ",1,1,NULL"};
  for (const std::string& row : wrong)
    file.sql("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" + row + ");");
  // A year and more from the others, and yet a number that could be a time.
  file.sql(
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (2000000000000000000,2000000000000000010,0,"
      "1,7,4," +
      pid + ",1,1,NULL);");
  const Recording r = file.recording();
  CHECK(r.activities.size() == 3);
  CHECK(mentions(r.damage, "8 of 12 rows of table CUPTI_ACTIVITY_KIND_KERNEL"));
  CHECK(mentions(r.damage, "1 activities lie years away"));
}

TEST_CASE("nsys: views and virtual tables of a file are never run") {
  NsysFile file;
  file.kernel(0, 10, 1);
  file.sql(
      "CREATE VIEW CUPTI_ACTIVITY_KIND_MEMCPY AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL"
      " SELECT x + 1 FROM n) SELECT x AS start, x AS end, 0 AS deviceId, 0 AS globalPid FROM n;");
  CHECK(file.recording().activities.size() == 1);
}

TEST_CASE("nsys: a file cut anywhere gives what is left, or a sentence") {
  NsysFile file;
  fill(file, 12);
  const std::string whole = file.bytes();
  const NsysFile scratch;
  REQUIRE(file.recording().activities.size() == 12);
  for (size_t size = 16; size < whole.size(); size += 509)
    must_survive(scratch, whole.substr(0, size));
}

TEST_CASE("nsys: a file with changed bytes never crashes the importer or the analysis") {
  NsysFile file;
  fill(file, 6);
  const std::string whole = file.bytes();
  const NsysFile scratch;
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < 1 + round % 8; ++i)
      flip(bytes, 16 + random() % (bytes.size() - 16), static_cast<uint8_t>(1 + random() % 255));
    must_survive(scratch, bytes);
  }
}
