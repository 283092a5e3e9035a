// FORMAT.md against the code: the generated parts, the header tables, the worked example. With
// GPUSTALL_REGEN=1 the generated parts are written instead.
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "collector/read/dump.h"
#include "test/builder/damage.h"
#include "test/builder/trace_builder.h"
#include "test/catch.h"

using namespace gpustall;
using namespace gpustall::test;

namespace {

const std::string kDocument = std::string(GPUSTALL_SOURCE_DIR) + "/libinterpose/trace/FORMAT.md";

std::string document() {
  std::ifstream in(kDocument);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Compares the part between "<!-- generated: name -->" and "<!-- end -->", or replaces it.
void check_part(const std::string& name, const std::string& wanted) {
  std::string text = document();
  const std::string head = "<!-- generated: " + name + " -->\n";
  const size_t begin = text.find(head);
  REQUIRE(begin != std::string::npos);
  const size_t from = begin + head.size(), end = text.find("<!-- end -->", from);
  REQUIRE(end != std::string::npos);
  if (std::getenv("GPUSTALL_REGEN") != nullptr) {
    text.replace(from, end - from, wanted);
    write_file(kDocument, text);
  } else {
    CHECK(text.substr(from, end - from) == wanted);
  }
}

std::string record_table() {
  std::string text = "| tag | record | fields (name:kind) |\n|---|---|---|\n";
#define GPUSTALL_ROW(kind, name) row += "`" #name ":" #kind "` ";
#define GPUSTALL_RECORD(name, tag)                                    \
  {                                                                   \
    std::string row = "| " + std::to_string(tag) + " | " #name " | "; \
    GPUSTALL_FIELDS_##name(GPUSTALL_ROW) row.pop_back();              \
    text += row + " |\n";                                             \
  }
#include "libinterpose/trace/records.def"
#undef GPUSTALL_RECORD
#undef GPUSTALL_ROW
  return text;
}

TraceBuilder example() {
  HeaderFields h;
  h.pid = 4711;
  h.host = "node1";
  h.end_ticks = 900'000;
  TraceBuilder t(h);
  trace::Api api;
  api.call = 1;
  api.start = 3'000;
  api.duration = 500;
  api.correlation = 7;
  api.stream = 7;
  api.bytes = 4'096;
  t.thread(4711).add(api);
  t.device(4712).add(trace::Kernel{t.queue(0, 1, 7), 4'200, 900, 7, t.string("gemm"), 64, 128, 0});
  return t;
}

std::string hex_lines(const std::string& bytes) {
  std::string text = "```\n";
  char part[32];
  for (size_t at = 0; at < bytes.size(); at += 16) {
    const std::string line = bytes.substr(at, 16);
    if (line.find_first_not_of('\0') == std::string::npos) continue;
    snprintf(part, sizeof part, "%06zx ", at);
    text += part;
    for (const char c : line) {
      snprintf(part, sizeof part, " %02x", static_cast<unsigned char>(c));
      text += part;
    }
    text += "\n";
  }
  return text + "```\n";
}

// "| 24 | 8 | `chunks_claimed` |" must stand in the document.
void check_row(size_t offset, size_t bytes, const std::string& field) {
  const std::string row =
      "| " + std::to_string(offset) + " | " + std::to_string(bytes) + " | `" + field + "` |";
  INFO(row);
  CHECK(document().find(row) != std::string::npos);
}

}  // namespace

TEST_CASE("FORMAT.md lists every record", "[format]") {
  check_part("records", record_table());
}

TEST_CASE("FORMAT.md's worked example is what the format says", "[format]") {
  const std::string bytes = example().bytes();
  check_part("example", hex_lines(bytes));
  std::ostringstream out;
  CHECK(collect::dump_bytes("r0-4711.gst", bytes, out, {}).message.empty());
  check_part("dump", "```\n" + out.str() + "```\n");
}

TEST_CASE("FORMAT.md's header tables have the true offsets", "[format]") {
#define GPUSTALL_FIELD(type, field) \
  check_row(offsetof(trace::type, field), sizeof(trace::type::field), #field)
  GPUSTALL_FIELD(FileHeader, magic);
  GPUSTALL_FIELD(FileHeader, format_version);
  GPUSTALL_FIELD(FileHeader, min_reader_version);
  GPUSTALL_FIELD(FileHeader, header_bytes);
  GPUSTALL_FIELD(FileHeader, chunk_bytes);
  GPUSTALL_FIELD(FileHeader, flags);
  GPUSTALL_FIELD(FileHeader, chunks_claimed);
  GPUSTALL_FIELD(FileHeader, pid);
  GPUSTALL_FIELD(FileHeader, parent_pid);
  GPUSTALL_FIELD(FileHeader, epoch);
  GPUSTALL_FIELD(FileHeader, rank);
  GPUSTALL_FIELD(FileHeader, role);
  GPUSTALL_FIELD(FileHeader, clock_kind);
  GPUSTALL_FIELD(FileHeader, python_version);
  GPUSTALL_FIELD(FileHeader, run_id);
  GPUSTALL_FIELD(FileHeader, start_ticks);
  GPUSTALL_FIELD(FileHeader, start_monotonic_ns);
  GPUSTALL_FIELD(FileHeader, start_realtime_ns);
  GPUSTALL_FIELD(FileHeader, end_ticks);
  GPUSTALL_FIELD(FileHeader, max_bytes);
  GPUSTALL_FIELD(FileHeader, cuda_driver_version);
  GPUSTALL_FIELD(FileHeader, cupti_version);
  GPUSTALL_FIELD(FileHeader, host);
  GPUSTALL_FIELD(FileHeader, losses);
  GPUSTALL_FIELD(ChunkHeader, committed_bytes);
  GPUSTALL_FIELD(ChunkHeader, tid);
  GPUSTALL_FIELD(ChunkHeader, stream_kind);
  GPUSTALL_FIELD(ChunkHeader, sequence);
  GPUSTALL_FIELD(ChunkHeader, base_time);
  GPUSTALL_FIELD(ChunkHeader, base_correlation);
#undef GPUSTALL_FIELD
}
