// A trace is read while it grows: the same as reading it whole, and exact where only its end is
// kept.
#include "collector/live/recent.h"

#include <unistd.h>

#include <cstring>
#include <fstream>

#include "collector/model.h"
#include "collector/read/read_traces.h"
#include "test/builder/loop_trace.h"
#include "test/catch.h"

using namespace gpustall;
using namespace gpustall::collect;
using namespace gpustall::test;

namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "gpustall-live-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Folder() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }
  // As the writer does: over what is there, never shorter.
  void write(const std::string& bytes, const std::string& name = "p4711.gst") const {
    std::fstream file(path_ / name, std::ios::in | std::ios::out | std::ios::binary);
    if (!file) file.open(path_ / name, std::ios::out | std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

 private:
  fs::path path_;
};

Recording read_whole(const std::string& bytes) {
  return std::move(*read_traces({{"p4711.gst", bytes}}));
}

Window whole_window(const Recording& r) {
  return build_model(r, analyze(r)).devices.at(0).whole;
}

std::optional<Recent> look(RecentReader& reader) {
  reader.update();
  return reader.look();
}

// Busy time from `since` on, of activities that do not overlap.
int64_t busy_since(const Recording& r, TraceTime since) {
  int64_t ns = 0;
  for (size_t i = 0; i < r.activities.size(); ++i)
    if (r.activities.start[i] >= since) ns += r.activities.end[i] - r.activities.start[i];
  return ns;
}

}  // namespace

TEST_CASE("a growing trace reads as it would whole, at every look") {
  const Folder folder;
  RecentReader reader(folder.path());
  CHECK(!look(reader));  // nobody records yet
  for (const unsigned steps : {1u, 2u, 40u, 41u, 300u}) {
    const std::string bytes = loop_trace(steps).bytes();
    folder.write(bytes);
    const std::optional<Recent> recent = look(reader);
    REQUIRE(recent);
    CHECK(recent->whole);
    const Recording whole = read_whole(bytes);
    CHECK(recent->recording.activities.size() == whole.activities.size());
    CHECK(recent->recording.calls.size() == whole.calls.size());
    CHECK(recent->recording.waits.size() == whole.waits.size());
    CHECK(recent->recording.damage.empty());
    CHECK(whole_window(recent->recording).busy_ns == whole_window(whole).busy_ns);
    const auto causes = whole_window(recent->recording).causes;
    REQUIRE(causes.size() == whole_window(whole).causes.size());
    for (size_t i = 0; i < causes.size(); ++i)
      CHECK(causes[i].ns == whole_window(whole).causes[i].ns);
  }
}

TEST_CASE("of a long trace the end is kept, and it is exact") {
  const Folder folder;
  RecentReader reader(folder.path(), 4);
  std::string bytes;
  for (const unsigned steps : {500u, 2000u, 4000u}) {
    bytes = loop_trace(steps).bytes();
    folder.write(bytes);
    REQUIRE(look(reader));
  }
  REQUIRE(bytes.size() > 12 * trace::kChunkBytes);
  const std::optional<Recent> recent = look(reader);
  REQUIRE(recent);
  CHECK(!recent->whole);
  const Recording whole = read_whole(bytes);
  const Activities& kept = recent->recording.activities;
  CHECK(kept.size() < whole.activities.size() / 2);
  CHECK(kept.size() > 1000);
  CHECK(kept.end.back() == whole.activities.end.back());
  CHECK(busy_since(whole, kept.start[0]) == busy_since(recent->recording, kept.start[0]));
  CHECK(analyze(recent->recording).unlinked_activities == 0);
  const Window window = whole_window(recent->recording);
  CHECK(window.causes.at(0).cause == whole_window(whole).causes.at(0).cause);
  REQUIRE(window.causes.at(0).site);  // definitions of long ago are still known
  CHECK(window.causes.at(0).site->file == whole_window(whole).causes.at(0).site->file);
}

TEST_CASE("a chunk that is claimed and not written yet is waited for") {
  const Folder folder;
  RecentReader reader(folder.path());
  const std::string full = loop_trace(300).bytes();
  std::string holed = full;
  const size_t second = trace::kHeaderBytes + trace::kChunkBytes;
  std::memset(holed.data() + second, 0, trace::kChunkBytes);
  folder.write(holed);
  look(reader);
  folder.write(full);
  const std::optional<Recent> recent = look(reader);
  REQUIRE(recent);
  CHECK(recent->recording.activities.size() == read_whole(full).activities.size());
}

TEST_CASE("what was read is not read again") {
  const Folder folder;
  RecentReader reader(folder.path());
  CHECK(!reader.update());
  for (const unsigned steps : {5u, 6u, 300u}) {
    folder.write(loop_trace(steps).bytes());
    CHECK(reader.update());
    CHECK(!reader.update());
    CHECK(reader.look()->recording.activities.size() ==
          read_whole(loop_trace(steps).bytes()).activities.size());
  }
}

TEST_CASE("files that are no traces are passed over") {
  const Folder folder;
  RecentReader reader(folder.path());
  folder.write("GPUSTALL and then something else", "broken.gst");
  folder.write("text", "notes.txt");
  CHECK(!look(reader));
  folder.write(loop_trace(5).bytes());
  REQUIRE(look(reader));
}
