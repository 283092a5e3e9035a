// load(): whatever a user may name. Every refusal is one sentence with a remedy.
#include "collector/load.h"

#include <unistd.h>

#include <fstream>

#include "test/builder/damage.h"
#include "test/builder/trace_builder.h"
#include "test/catch.h"

using namespace gpustall;
using namespace gpustall::test;
using namespace gpustall::collect;

namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/gpustall-load-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }
  fs::path with(const std::string& name, const std::string& bytes) const {
    write_file((path_ / name).string(), bytes);
    return path_ / name;
  }

 private:
  fs::path path_;
};

std::string refusal(const fs::path& path) {
  const Result<Recording> r = load(path);
  REQUIRE_FALSE(r);
  CHECK(r.error().message.find('\n') == std::string::npos);
  CHECK_THAT(r.error().message, contains(";") || contains("see that"));  // cause; remedy
  return r.error().message;
}

}  // namespace

TEST_CASE("a trace is known by its content, whatever its name") {
  const Folder folder;
  const Result<Recording> r = load(folder.with("trace.json", TraceBuilder().bytes()));
  REQUIRE(r);
  CHECK(r->processes.size() == 1);
}

TEST_CASE("a directory is all its .gst files") {
  const Folder folder;
  HeaderFields second;
  second.pid = 200;
  folder.with("a.gst", TraceBuilder().bytes());
  folder.with("b.gst", TraceBuilder(second).bytes());
  folder.with("notes.txt", "nothing");
  double done = 0;
  const Result<Recording> r = load(folder.path(), [&](double share) { done = share; });
  REQUIRE(r);
  CHECK(r->processes.size() == 2);
  CHECK(r->name == folder.path().string());
  CHECK(done == 1.0);
}

TEST_CASE("what cannot be loaded is refused with cause and remedy") {
  const Folder folder;
  CHECK_THAT(refusal(folder.path() / "none"), contains("does not exist"));
  CHECK_THAT(refusal(folder.path()), contains("is empty: no process recorded here"));
  CHECK_THAT(refusal(folder.with("empty.gst", "")), contains("is empty"));
  CHECK_THAT(refusal(folder.with("zero.gst", std::string(4096, '\0'))), contains("has no header"));
  CHECK_THAT(refusal(folder.with("text", "hello, world")), contains("is no recording"));
  CHECK_THAT(refusal(folder.with("cut.gst", TraceBuilder().bytes().substr(0, 100))),
             contains("is cut off inside its header, after 100 bytes"));
  HeaderFields newer;
  newer.format_version = 7;
  newer.min_reader_version = 5;
  CHECK_THAT(refusal(folder.with("new.gst", TraceBuilder(newer).bytes())),
             contains("trace format 7 and needs a reader of format 5 or later, this program reads"
                      " formats 1 to 1; install a newer gpustall"));
  HeaderFields older;
  older.format_version = 0;
  CHECK_THAT(refusal(folder.with("old.gst", TraceBuilder(older).bytes())),
             contains("read it with the gpustall that wrote it"));
  CHECK_THAT(refusal(folder.with("t.sqlite", std::string("SQLite format 3\0abc", 19))),
             contains("SQLite"));
  CHECK_THAT(refusal("/dev/null"), contains("is not a regular file"));
}

TEST_CASE("what is nearly a recording is told how to become one") {
  const Folder folder;
  CHECK_THAT(refusal(folder.with("a.nsys-rep", "QUAD and more")),
             contains("nsys export --type sqlite"));
  CHECK_THAT(refusal(folder.with("a.json.xz", std::string("\xfd\x37zXZ\0..", 8))),
             contains("is packed with xz"));
  CHECK_THAT(refusal(folder.with("a.zip", "PK\x03\x04 and more")), contains("is packed with zip"));
}

TEST_CASE("exports of Nsight Systems in a directory are named one by one") {
  const Folder folder;
  folder.with("a.sqlite", "SQLite format 3");
  CHECK_THAT(refusal(folder.path()), contains("name one of them, such as"));
  folder.with(
      "rank0.json",
      R"([{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 1, "dur": 2}])");
  const Result<Recording> r = load(folder.path());
  REQUIRE(r);
  REQUIRE(r->damage.size() == 1);
  CHECK_THAT(r->damage[0], contains("a.sqlite: an export of Nsight Systems among traces"));
}

TEST_CASE("a directory without traces tells what it holds") {
  const Folder folder;
  folder.with("x.log", "{}");
  folder.with("y.log", "{}");
  CHECK_THAT(refusal(folder.path()), contains("holds no .gst file (2 .log files)"));
  fs::create_directory(folder.path() / "run1");
  folder.with("run1/a.gst", TraceBuilder().bytes());
  CHECK_THAT(refusal(folder.path()), contains("name one of them, such as"));
}

TEST_CASE("a file without permission is named so") {
  if (geteuid() == 0) {
    WARN("SKIPPED: root may read everything");
    return;
  }
  const Folder folder;
  const fs::path path = folder.with("a.gst", TraceBuilder().bytes());
  fs::permissions(path, fs::perms::none);
  CHECK_THAT(refusal(path), contains("no permission to read"));
  CHECK_THAT(refusal(folder.path()), contains("no permission to read"));
}
