// Damaged torch.profiler traces: whatever the bytes, the importer and the analysis behind it come
// back with a result or one sentence.
#include <zlib.h>

#include "collector/analysis.h"
#include "collector/model.h"
#include "test/builder/damage.h"
#include "test/unit/import/kineto_text.h"

using namespace gpustall;
using namespace gpustall::collect;
using namespace gpustall::test;

namespace {

std::string small_trace() {
  return file(
      {
          row("user_annotation", "ProfilerStep#1", "50", "50", "0", "90"),
          row("cpu_op", "aten::add", "50", "50", "5", "20", R"("Input Dims": [[2, 3], []])"),
          row("python_function", "train.py(3): main", "50", "50", "0", "100"),
          call("cudaLaunchKernel", 1, "10.125", "5"),
          kernel("void k<int, \\\"x\\\">", 1, "20.5", "1e1"),
          call("cudaLaunchKernel", 2, "40", "5"),
          kernel("k2", 2, "50", "4"),
          row("overhead", "Buffer Flush", "-1", "0", "60", "5"),
          R"({"ph": "M", "name": "process_name", "pid": 50, "tid": 0, "args": {"name": "py"}})",
      },
      R"("schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "A"}], )"
      R"("distributedInfo": {"rank": 0}, )",
      R"(, "baseTimeNanoseconds": 1000000)");
}

// Imports and analyses; the sum of slices must hold whatever came in.
bool survives(const std::string& bytes) {
  const Result<Recording> r = import_kineto_bytes(bytes, "damaged.json");
  if (!r) return !r.error().message.empty();
  const Analysis a = analyze(*r);
  int64_t idle = 0, slices = 0;
  for (const DeviceTimeline& t : a.timelines) idle += t.idle_ns();
  for (size_t i = 0; i < a.slices.size(); ++i) slices += a.slices.end[i] - a.slices.start[i];
  return idle == slices;
}

std::string gzipped(const std::string& text) {
  std::string out(text.size() + 1024, '\0');
  z_stream z{};
  deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  z.avail_in = static_cast<uInt>(text.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  deflate(&z, Z_FINISH);
  out.resize(z.total_out);
  deflateEnd(&z);
  return out;
}

// One member; an archive ends with two zero blocks, and without them as well.
std::string tar_of(const std::string& name, const std::string& content) {
  std::string block(512, '\0');
  block.replace(0, name.size(), name);
  char size[13];
  std::snprintf(size, sizeof size, "%011zo", content.size());
  block.replace(124, 11, size, 11);
  block[156] = '0';
  block.replace(257, 5, "ustar");
  block += content;
  block.resize((block.size() + 511) / 512 * 512, '\0');
  return block;
}

}  // namespace

TEST_CASE("a trace that is cut at any byte keeps what came before") {
  const std::string whole = small_trace();
  REQUIRE(imported(whole).activities.size() == 2);
  for (size_t size = 0; size < whole.size(); ++size) {
    INFO(size);
    REQUIRE(survives(whole.substr(0, size)));
  }
  const Recording cut = imported(whole.substr(0, whole.find("k2")));
  CHECK(cut.activities.size() == 1);
  REQUIRE_FALSE(cut.damage.empty());
  CHECK_THAT(cut.damage[0], contains("the JSON ends or breaks"));
}

TEST_CASE("a trace that is cut before its first kernel is told to be cut, with what to do") {
  const std::string whole = small_trace();
  const std::string some = whole.substr(0, whole.find("cudaLaunchKernel"));
  for (const std::string& text :
       {std::string("{\"traceEvents\": ["), std::string("["), some, some + "\"}]"}) {
    INFO(text);
    const Result<Recording> r = import_kineto_bytes(text, "cut.json");
    REQUIRE_FALSE(r);
    CHECK_THAT(r.error().message, contains("cut.json is cut before any GPU activity: "));
    CHECK_THAT(r.error().message, contains("; copy it again, or profile again"));
  }
  // A whole trace without GPU rows is no cut one.
  const Result<Recording> r =
      import_kineto_bytes(file({row("cpu_op", "x", "5", "5", "1", "2")}), "t");
  REQUIRE_FALSE(r);
  CHECK_THAT(r.error().message, contains("has no GPU activity: 1 events"));
}

TEST_CASE("device rows without a usable time are losses of the ledger, host rows are told") {
  for (const char* time : {"NaN", "-5", "1e400", "null", "999999999999999999999999999"}) {
    INFO(time);
    const Recording r =
        imported(file({call("cudaLaunchKernel", 1, "1", "1"), kernel("k", 1, "3", "1"),
                       kernel("k2", 2, "30", time), row("cpu_op", "x", "50", "50", "5", time)}));
    CHECK(r.activities.size() == 1);
    const Model m = build_model(r, analyze(r));
    CHECK(m.ledger.lost_records == 1);
    REQUIRE(m.ledger.losses.size() == 2);
    CHECK_THAT(m.ledger.losses[0], contains("1 device records had no valid time"));
    CHECK_THAT(m.ledger.losses[1], contains("1 rows of the host have no usable time"));
  }
  const Result<Recording> none = import_kineto_bytes(file({kernel("k", 1, "3", "NaN")}), "t.json");
  REQUIRE_FALSE(none);
  CHECK_THAT(none.error().message, contains("no GPU activity with a usable time"));
}

TEST_CASE("a rank without device rows leaves no process behind") {
  const std::string idle = file({row("cpu_op", "x", "70", "71", "1", "2")});
  for (const std::string& archive : {tar_of("a.json", idle) + tar_of("b.json", small_trace()),
                                     tar_of("a.json", small_trace()) + tar_of("b.json", idle)}) {
    const Recording r = imported(archive);
    REQUIRE(r.processes.size() == 1);
    CHECK(r.processes[0].pid == 50);
    for (const Thread& t : r.threads) CHECK(raw(t.process) == 0);
    CHECK_THAT(r.damage.back(), contains("no GPU activity in it, left out"));
    CHECK(imported(small_trace()).calls.size() == r.calls.size());
  }
}

TEST_CASE("flipped bits anywhere do no harm") {
  const std::string whole = small_trace();
  for (size_t at = 0; at < whole.size(); ++at)
    for (uint8_t mask : {0x01, 0x02, 0x20, 0x80, 0xff}) {
      std::string damaged = whole;
      flip(damaged, at, mask);
      INFO(at);
      REQUIRE(survives(damaged));
    }
}

TEST_CASE("compressed traces and archives may be cut and flipped too") {
  const std::string text = small_trace();
  for (const std::string& whole : {gzipped(text), gzipped(tar_of("rank0.json", text)),
                                   tar_of("rank0.json.gz", gzipped(text))}) {
    CHECK(imported(whole).activities.size() == 2);
    CHECK(imported(whole).damage.empty());
    for (size_t size = 0; size < whole.size(); size += 3) REQUIRE(survives(whole.substr(0, size)));
    for (size_t at = 0; at < whole.size(); at += 3) {
      std::string damaged = whole;
      flip(damaged, at, 0x40);
      REQUIRE(survives(damaged));
    }
  }
}

TEST_CASE("an archive holds a rank per member") {
  const std::string archive =
      tar_of("a/rank0.json", small_trace()) + tar_of("a/notes.txt", "no trace") +
      tar_of("a/rank1.json.gz", gzipped(small_trace())) + std::string(1024, '\0');
  for (const std::string& whole : {archive, gzipped(archive)}) {
    const Recording r = imported(whole);
    CHECK(r.damage.empty());
    CHECK(r.processes.size() == 2);
    CHECK(r.devices.size() == 2);
    CHECK(r.activities.size() == 4);
  }
}

TEST_CASE("what is left out of an archive is told, and what cannot be read says what to do") {
  const std::string trace = tar_of("rank0.json", small_trace());
  const Recording r =
      imported(trace + tar_of("rank1.pt.trace.json", "") +
               tar_of("rank2.json.gz", gzipped("no JSON")) + tar_of("notes.md", "x"));
  CHECK(r.processes.size() == 1);
  REQUIRE(r.damage.size() == 2);
  CHECK_THAT(r.damage[0], contains("rank1.pt.trace.json: no trace of torch.profiler in it"));
  CHECK_THAT(r.damage[1], contains("rank2.json.gz: no trace of torch.profiler in it"));
  const auto refusal = [](const std::string& bytes) {
    const Result<Recording> none = import_kineto_bytes(bytes, "x");
    REQUIRE_FALSE(none);
    return none.error().message;
  };
  CHECK_THAT(refusal(tar_of("in.tar", trace)), contains("is an archive without JSON"));
  CHECK_THAT(refusal(gzipped(std::string("SQLite format 3\0", 16) + std::string(600, '\1'))),
             contains("is packed SQLite; unpack it"));
}

TEST_CASE("launches whose kernel the profiler lost are counted") {
  const auto at = [](int i) { return std::to_string(10 * i); };
  const auto lost = [](const std::vector<std::string>& rows) {
    const Recording r = imported(file(rows));
    return r.damage.empty() ? std::string() : r.damage.front();
  };
  std::vector<std::string> rows;
  for (int i = 1; i <= 8; ++i) rows.push_back(call("cudaLaunchKernel", i, at(i), "5"));
  for (const int i : {2, 3, 5, 7}) rows.push_back(kernel("k", i, at(i) + ".5", "1"));
  // 1 and 8 lie at the edges of the trace; 4 and 6 do not.
  CHECK_THAT(lost(rows), contains("2 of 6 launches have no device record (pid 50)"));
  rows.push_back(kernel("k", 4, "45", "1"));
  // The driver's call has the kernel, the runtime's around it the name.
  rows.push_back(call("cuLaunchKernel", 60, "61", "2"));
  rows.push_back(kernel("k", 60, "64", "1"));
  CHECK(lost(rows).empty());
  std::vector<std::string> copied{row("gpu_memset", "Memset (Device)", "0", "7", "1", "1")};
  for (int i = 1; i <= 12; ++i) copied.push_back(call("cudaLaunchKernel", i, at(i), "5"));
  CHECK_THAT(lost(copied), contains("12 of 12 launches have no device record"));
  // Captured into a graph.
  rows.push_back(call("cudaStreamBeginCapture", 100, "31", "1"));
  rows.push_back(call("cudaLaunchKernel", 101, "36", "1"));
  rows.push_back(call("cudaStreamEndCapture", 102, "37.5", "1"));
  CHECK(lost(rows).empty());
}

TEST_CASE("one broken event costs itself only") {
  const Recording r = imported(file(
      {call("cudaLaunchKernel", 1, "1", "1"), "{\"ph\": \"X\", !!}", kernel("k", 1, "3", "1")}));
  CHECK(r.activities.size() == 1);
  REQUIRE(r.damage.size() == 1);
  CHECK_THAT(r.damage[0], contains("1 damaged event"));
}

TEST_CASE("values of wrong types and absurd numbers are left out") {
  for (const char* value : {"null", "\"x\"", "[]", "{}", "true", "-5", "1e400", "-1e18", "1e-400",
                            "999999999999999999999999999", "18446744073709551615", "0x7", "NaN"}) {
    INFO(value);
    const std::string v = value;
    REQUIRE(survives(file(
        {
            call("cudaLaunchKernel", 1, "1", "1"),
            kernel("k", 1, "3", "1"),
            call("cudaLaunchKernel", 2, v, v),
            kernel("k", 2, "30", v),
            kernel("k", 2, v, "3"),
            row("kernel", "k", v, v, "40", "1",
                "\"device\": " + v + ", \"stream\": " + v + ", \"context\": " + v +
                    ", \"correlation\": " + v + ", \"bytes\": " + v),
            row("cpu_op", "x", v, v, "1", "2", "\"Call stack\": " + v),
            row("python_function", "x", v, v, "1", "2"),
            v,
            "{\"ph\": " + v + ", \"cat\": " + v + ", \"name\": " + v + ", \"args\": " + v + "}",
        },
        "\"baseTimeNanoseconds\": " + v + ", \"deviceProperties\": " + v +
            ", \"distributedInfo\": " + v + ", ")));
  }
}

TEST_CASE("nesting is no recursion") {
  const std::string deep = std::string(2'000'000, '[') + std::string(2'000'000, ']');
  const std::vector<std::string> rows{
      row("cpu_op", "x", "50", "50", "1", "2", "\"Input Dims\": " + deep),
      call("cudaLaunchKernel", 1, "1", "1"), kernel("k", 1, "3", "1")};
  CHECK(imported(file(rows, "\"metadata\": " + deep + ", ")).activities.size() == 1);
  REQUIRE(survives(std::string(1'000'000, '{')));
  REQUIRE(survives("[" + std::string(1'000'000, '{')));
  std::vector<std::string> nested{kernel("k", 1, "3", "1")};
  for (int i = 0; i < 20'000; ++i)
    nested.push_back(row("cpu_op", "op" + std::to_string(i), "50", "50", std::to_string(i),
                         std::to_string(100'000 - 2 * i)));
  nested.push_back(call("cudaLaunchKernel", 1, "20001", "1"));
  REQUIRE(survives(file(nested)));
}

TEST_CASE("a million streams are only many") {
  std::vector<std::string> rows;
  for (int i = 0; i < 1'000'000; ++i)
    rows.push_back(R"({"ph":"X","cat":"kernel","name":"k","pid":0,"tid":)" + std::to_string(i) +
                   R"(,"ts":)" + std::to_string(i + 1) + R"(,"dur":1})");
  const Recording r = imported(file(rows));
  CHECK(r.activities.size() == 1'000'000);
  CHECK(r.queues.size() == 1'000'000);
}

TEST_CASE("text that is no UTF-8 and raw control characters become printable") {
  std::string name = "k\xff\xfe";
  name += '\x01';
  const Recording r = imported(file({kernel(name + "\\u00e9\\ud83d\\ude00\\ud800x", 1, "3", "1")}));
  const std::string text(r.text(r.activities.name[0]));
  CHECK(text.find('\x01') == std::string::npos);
  CHECK(text.starts_with("k??"));
}
