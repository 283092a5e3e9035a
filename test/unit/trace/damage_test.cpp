// Damaged files: a sentence, what is left of the data, and never a crash.
#include <random>
#include <sstream>

#include "collector/read/dump.h"
#include "collector/read/read_traces.h"
#include "test/builder/damage.h"
#include "test/builder/trace_builder.h"
#include "test/catch.h"

using namespace gpustall;
using namespace gpustall::test;
using namespace gpustall::collect;

namespace {

// Chunks of 4 KiB keep the file small: header, thread 100 (two chunks), device, dictionary.
TraceBuilder small_trace() {
  TraceBuilder t({}, 4096);
  trace::Api api;
  api.call = 1;
  api.start = 20'000;
  api.duration = 2'500;
  api.correlation = 7;
  api.stack = t.thread(100).stack("train.py:10 main; model.py:300 forward");
  t.add(api).add(trace::Range{25'000, 100, 0, t.string("step"), 0});
  t.add(trace::NativeStack{1, std::string_view("\x80\x20\x10", 3)});
  t.add(trace::Object{1, 2, 77, t.string("pipe:[77]")});
  t.add(trace::Wait{10, 26'000, 100, 1, 0, 1, 100, 5, 1});
  t.new_chunk().add(trace::Range{30'000, 100, 0, 0, 0});
  t.device().add(trace::Kernel{t.queue(0, 1, 7), 30'000, 9'000, 7, t.string("gemm"), 64, 128, 0});
  t.dictionary().add(trace::DeviceClock{25'000, 27'000, 40});
  t.add(trace::Thread{1'500, 100, 0, 0, t.string("main")});
  t.add(trace::Module{1, 0x1000, 0x1000, 0, t.string("/dev/null"), 0});
  t.add(trace::Notice{2'000, 1, 0, "profiler"}).add(trace::Clock{1'500'000, 1'500'000, 7});
  return t;
}

Result<Recording> read(const std::string& bytes) {
  ReadOptions options;
  options.symbols = false;
  return read_traces({{"p.gst", bytes}}, {}, options);
}

// Whatever the bytes are: both readers come back, and every index is inside its table.
void survive(const std::string& bytes) {
  std::ostringstream out;
  DumpOptions options;
  options.resolve = true;
  dump_bytes("p.gst", bytes, out, options);
  const Result<Recording> r = read(bytes);
  if (!r) {
    REQUIRE_FALSE(r.error().message.empty());
    return;
  }
  for (size_t i = 0; i < r->activities.size(); ++i)
    REQUIRE(raw(r->device_of(i)) < r->devices.size());
  for (size_t i = 0; i < r->calls.size(); ++i) {
    REQUIRE(raw(r->calls.thread[i]) < r->threads.size());
    const StackId stack = r->calls.stack[i];
    REQUIRE((stack == kNone<StackId> || raw(stack) < r->stacks.size()));
  }
  for (size_t i = 0; i < r->stacks.size(); ++i)
    REQUIRE((r->stacks[i].parent == kNone<StackId> || raw(r->stacks[i].parent) < i));
}

}  // namespace

TEST_CASE("a trace cut off at any byte is read as far as it goes") {
  const std::string whole = small_trace().bytes();
  for (size_t size = 0; size <= whole.size(); size += size < 4096 + 300 ? 1 : 7)
    survive(whole.substr(0, size));
}

TEST_CASE("any flipped byte is survived") {
  const std::string whole = small_trace().bytes();
  for (size_t at = 0; at < whole.size(); ++at) {
    if (whole[at] == 0 && at > 4096 && at % 16 != 0) continue;  // padding: a sample is enough
    for (const uint8_t mask : {0xff, 0x80, 0x01}) {
      std::string bytes = whole;
      flip(bytes, at, mask);
      survive(bytes);
    }
  }
}

TEST_CASE("random damage in several places is survived") {
  const std::string whole = small_trace().bytes();
  std::mt19937 random(20'261'201);
  for (int round = 0; round < 3'000; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < 6; ++i) {
      const size_t chunk = random() % chunk_count(bytes);
      flip(bytes, chunk_offset(bytes, chunk) + random() % 160, static_cast<uint8_t>(random()));
    }
    survive(bytes);
  }
}

TEST_CASE("a damaged record ends its chunk, named with its byte, and the rest is read") {
  std::string bytes = small_trace().bytes();
  flip(bytes, chunk_offset(bytes, 0) + 48, 0x01);  // the first record's tag: 1 to 0
  const Result<Recording> r = read(bytes);
  REQUIRE(r);
  REQUIRE_FALSE(r->damage.empty());
  CHECK_THAT(r->damage[0], contains("p.gst: damaged record at byte 4144 (chunk 0, thread 100)"));
  CHECK(r->calls.size() == 0);
  CHECK(r->ranges.size() == 1);      // of the thread's second chunk
  CHECK(r->activities.size() == 1);  // of the device
}

TEST_CASE("missing, repeated, blank and cut chunks are told apart") {
  const std::string whole = small_trace().bytes();
  SECTION("a chunk that is not there leaves a hole in its stream") {
    std::string bytes = whole;
    drop_chunk(bytes, 0);
    CHECK_THAT(read(bytes)->damage.at(0), contains("lacks 1 chunks of thread 100"));
  }
  SECTION("a repeated chunk is left out") {
    std::string bytes = whole;
    duplicate_chunk(bytes, 0);
    const Result<Recording> r = read(bytes);
    CHECK_THAT(r->damage.at(0), contains("repeats an earlier one"));
    CHECK(r->calls.size() == 1);
  }
  SECTION("a chunk that was claimed and never written is nothing to tell") {
    TraceBuilder t = small_trace();
    t.thread(101).add(trace::Range{30'000, 1, 0, 0, 0});
    std::string bytes = t.bytes();
    blank_chunk(bytes, chunk_count(bytes) - 1);
    CHECK(read(bytes)->damage.empty());
  }
  SECTION("fewer bytes committed than written: the rest was under way when the process died") {
    std::string bytes = whole;
    set_committed(bytes, 1, 0);
    const Result<Recording> r = read(bytes);
    CHECK(r->damage.empty());
    CHECK(r->ranges.size() == 1);
  }
  SECTION("a chunk that claims more than the file holds") {
    std::string bytes = whole;
    truncate(bytes, bytes.size() - 4'040);
    CHECK_THAT(read(bytes)->damage.at(0), contains("is cut off"));
  }
  SECTION("a header that counts too few chunks") {
    std::string bytes = whole;
    set_claimed(bytes, 1);
    const Result<Recording> r = read(bytes);
    CHECK_THAT(r->damage.at(0), contains("holds more chunks than its header counts (1)"));
    CHECK(r->activities.size() == 1);
  }
}

TEST_CASE("an undefined id is none, and counted") {
  TraceBuilder t;
  t.thread(1).add(trace::Api{1, 2'000, 10, 1, 99, 0, 0, 0, 0, 0, 0, 0});
  t.device().add(trace::Kernel{5, 2'000, 10, 1, 0, 0, 0, 0});
  const Result<Recording> r = read(t.bytes());
  REQUIRE(r);
  CHECK(r->calls.stack[0] == kNone<StackId>);
  CHECK(r->activities.size() == 0);
  REQUIRE(r->damage.size() == 2);
  CHECK_THAT(r->damage[0], contains("references to names, stacks or objects"));
  CHECK_THAT(r->damage[1], contains("1 device activities of an unknown device"));
}

TEST_CASE("one unreadable file among several is damage") {
  HeaderFields newer;
  newer.format_version = newer.min_reader_version = 9;
  const std::string good = small_trace().bytes(), bad = TraceBuilder(newer).bytes();
  const Result<Recording> r = read_traces({{"a.gst", bad}, {"b.gst", good}});
  REQUIRE(r);
  CHECK(r->processes.size() == 1);
  CHECK_THAT(r->damage.at(0), contains("a.gst has trace format 9 and needs a reader of format 9"));
}
