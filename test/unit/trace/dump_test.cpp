// The dump as oracle: every kind of line once.
#include "collector/read/dump.h"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "collector/read/field_meaning.h"
#include "test/builder/damage.h"
#include "test/builder/sample_traces.h"
#include "test/catch.h"

using namespace gpustall;
using namespace gpustall::test;
using namespace gpustall::collect;

namespace {

std::string dump(const TraceBuilder& t, const DumpOptions& options = {}) {
  std::ostringstream out;
  const Error error = dump_bytes("p.gst", t.bytes(), out, options);
  CHECK(error.message.empty());
  return out.str();
}

TraceBuilder small_trace() {
  TraceBuilder t;
  t.thread(100).add(
      trace::Api{1, 20'000, 2'500, 7, t.stack("train.py:10 main"), 7, 0, 0, 0, 0, 0, 0});
  t.device().add(
      trace::Kernel{t.queue(0, 1, 7), 1'030'000, 9'000, 7, t.string("gemm"), 64, 128, 0});
  t.dictionary().add(trace::DeviceClock{25'000, 1'025'000, 40});
  return t;
}

// With GPUSTALL_REGEN=1 the file is written instead.
void check_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(GPUSTALL_SOURCE_DIR) + "/test/golden/dump/" + name + ".txt";
  if (std::getenv("GPUSTALL_REGEN") != nullptr) return write_file(path, text);
  std::ifstream in(path);
  CHECK(text == std::string(std::istreambuf_iterator<char>(in), {}));
}

}  // namespace

TEST_CASE("a dump has one line per record, with times since the start") {
  CHECK(dump(small_trace()) ==
        "header file=\"p.gst\" version=1 min_reader=1 pid=100 parent_pid=1 epoch=0 rank=-1"
        " role=Trainer host=\"host\" run_id=0x1111,0x2222 python=0x30b0200 clock=MonotonicNs"
        " end=+999999000 flags=clean_end\n"
        "chunk 0 at=4096 kind=Thread tid=100 sequence=0 bytes=43 base_time=+5 base_correlation=3\n"
        "  String id=1 text=\"train.py\"\n"
        "  String id=2 text=\"main\"\n"
        "  Code id=1 file=1 function=2 first_line=9 line_table=ef02\n"
        "  Frame id=1 code=1 position=2\n"
        "  Api call=cudaLaunchKernel start=+19000 duration=2500 correlation=7 stack=1 stream=7\n"
        "chunk 1 at=69632 kind=Device tid=0 sequence=0 bytes=26 base_time=-999995"
        " base_correlation=3\n"
        "  Queue id=1 context=1 stream=7\n"
        "  String id=3 text=\"gemm\"\n"
        "  Kernel queue=1 start=+29000 duration=9000 correlation=7 name=3 blocks=64 threads=128\n"
        "chunk 2 at=135168 kind=Dictionary tid=0 sequence=0 bytes=9 base_time=+5"
        " base_correlation=3\n"
        "  DeviceClock ticks=+24000 device_ns=+24000 error_ns=40\n");
}

TEST_CASE("a dump resolves ids and shows chosen records only, when asked") {
  DumpOptions options;
  options.resolve = true;
  options.only = {"Api", "Kernel"};
  CHECK(dump(small_trace(), options) ==
        "  Api call=cudaLaunchKernel start=+19000 duration=2500 correlation=7"
        " stack=1:\"train.py:10 main\" stream=7\n"
        "  Kernel queue=1:\"device 0 stream 7\" start=+29000 duration=9000 correlation=7"
        " name=3:\"gemm\" blocks=64 threads=128\n");
}

TEST_CASE("the dumps of the sample traces are the golden ones") {
  DumpOptions options;
  options.resolve = true;
  check_golden("host", dump(host_trace(), options));
  check_golden("device", dump(device_trace(), options));
  check_golden("clocks", dump(clocks_trace(), options));
}

TEST_CASE("every field that is said to have a meaning exists") {
  std::set<std::string> fields;
#define GPUSTALL_NAME(kind, field) fields.insert(record + "." #field);
#define GPUSTALL_RECORD(name, tag)        \
  {                                       \
    const std::string record = #name;     \
    GPUSTALL_FIELDS_##name(GPUSTALL_NAME) \
  }
#include "libinterpose/trace/records.def"
#undef GPUSTALL_RECORD
#undef GPUSTALL_NAME
  for (const FieldMeaning& m : kFieldMeanings)
    CHECK(fields.count(std::string(m.record) + "." + std::string(m.field)) == 1);
}
