// Prints a trace file record by record, one line each, for the process tests: an independent and
// deliberately plain reader (the product's own reader is tested elsewhere). Exit 1 on damage.
//   trace_dump FILE...            header and records
//   trace_dump --summary FILE...  header and the count of each record
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "libinterpose/trace/names.h"
#include "libinterpose/trace/records.h"

namespace trace = gpustall::trace;

namespace {

bool g_summary = false;
std::map<std::string, unsigned> g_counts;
std::map<uint64_t, std::string> g_strings;

void print(const char* name, uint64_t v) {
  std::printf(" %s=%" PRIu64, name, v);
}
void print(const char* name, int64_t v) {
  std::printf(" %s=%" PRId64, name, v);
}
void print(const char* name, std::string_view v) {
  std::printf(" %s=\"", name);
  for (const unsigned char c : v)
    if (c >= 32 && c < 127)
      std::putchar(c);
    else
      std::printf("\\x%02x", c);
  std::printf("\"");
}

void explain(const trace::Wait& r) {
  std::printf(" # %s", trace::name_of(static_cast<trace::WaitId>(r.wait)));
}
void explain(const trace::Api& r) {
  std::printf(" # %s", trace::name_of(static_cast<trace::Call>(r.call)));
}
void explain(const trace::Info& r) {
  std::printf(" # %s: %s", g_strings[r.key].c_str(), g_strings[r.value].c_str());
}
void explain(const trace::Object& r) {
  std::printf(" # %s", g_strings[r.path].c_str());
}
void explain(const trace::Thread& r) {
  std::printf(" # %s", g_strings[r.name].c_str());
}
void explain(const trace::Module& r) {
  std::printf(" # %s", g_strings[r.path].c_str());
}
template <class Record>
void explain(const Record&) {}

void note(const trace::String& r) {
  g_strings[r.id] = std::string(r.text);
}
template <class Record>
void note(const Record&) {}

template <class Record>
bool show(const char* name, std::string_view payload, trace::Running& run, bool collect);

#define FIELD(kind, field) print(#field, r.field);
#define GPUSTALL_RECORD(name, tag)                                                        \
  template <>                                                                             \
  bool show<trace::name>(const char* text, std::string_view payload, trace::Running& run, \
                         bool collect) {                                                  \
    trace::name r;                                                                        \
    if (!trace::decode(payload, run, r)) return false;                                    \
    if (collect) {                                                                        \
      note(r);                                                                            \
      return true;                                                                        \
    }                                                                                     \
    ++g_counts[text];                                                                     \
    if (g_summary) return true;                                                           \
    std::printf("%s", text);                                                              \
    GPUSTALL_FIELDS_##name(FIELD) explain(r);                                             \
    std::printf("\n");                                                                    \
    return true;                                                                          \
  }
#include "libinterpose/trace/records.def"
#undef GPUSTALL_RECORD

bool show_record(uint8_t tag, std::string_view payload, trace::Running& run, bool collect) {
  switch (static_cast<trace::Tag>(tag)) {
#define GPUSTALL_RECORD(name, number) \
  case trace::Tag::name:              \
    return show<trace::name>(#name, payload, run, collect);
#include "libinterpose/trace/records.def"
#undef GPUSTALL_RECORD
  }
  return false;
}

bool show_chunk(const std::vector<uint8_t>& data, size_t at, bool collect) {
  trace::ChunkHeader h;
  std::memcpy(&h, data.data() + at, sizeof h);
  if (h.magic == 0) return true;  // claimed, never written
  if (h.magic != trace::kChunkMagic || h.committed_bytes > trace::kChunkBytes - sizeof h)
    return false;
  if (!g_summary && !collect)
    std::printf("chunk tid=%u kind=%u sequence=%u bytes=%u\n", h.tid, h.stream_kind, h.sequence,
                h.committed_bytes);
  const uint8_t* payload = data.data() + at + sizeof h;
  trace::Reader in(payload, payload + h.committed_bytes);
  trace::Running run{h.base_time, h.base_correlation};
  uint8_t tag;
  std::string_view record;
  while (trace::next_record(in, tag, record))
    if (!show_record(tag, record, run, collect)) return false;
  return in.ok();
}

bool show_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<uint8_t> data{std::istreambuf_iterator<char>(file), {}};
  trace::FileHeader h;
  if (data.size() < trace::kHeaderBytes) return false;
  std::memcpy(&h, data.data(), sizeof h);
  if (std::memcmp(h.magic, trace::kMagic, sizeof h.magic) != 0) return false;
  std::printf("file pid=%u parent=%u epoch=%u rank=%d role=%u flags=%u clock=%u chunks=%" PRIu64
              " size=%zu python=%x run=%016" PRIx64 "%016" PRIx64 "\n",
              h.pid, h.parent_pid, h.epoch, h.rank, h.role, h.flags, h.clock_kind, h.chunks_claimed,
              data.size(), h.python_version, h.run_id[0], h.run_id[1]);
  for (size_t i = 0; i < 32; ++i)
    if (h.losses[i] != 0) std::printf("loss kind=%zu count=%" PRIu64 "\n", i, h.losses[i]);
  g_counts.clear();
  g_strings.clear();
  bool ok = true;
  for (const bool collect : {true, false})
    for (size_t at = trace::kHeaderBytes; at + trace::kChunkBytes <= data.size();
         at += trace::kChunkBytes)
      ok = show_chunk(data, at, collect) && ok;
  for (const auto& [name, count] : g_counts)
    if (g_summary) std::printf("count %s=%u\n", name.c_str(), count);
  return ok;
}

}  // namespace

int main(int argc, char** argv) {
  int from = 1;
  if (argc > 1 && std::strcmp(argv[1], "--summary") == 0) {
    g_summary = true;
    ++from;
  }
  bool ok = argc > from;
  for (int i = from; i < argc; ++i)
    if (!show_file(argv[i])) {
      std::printf("damaged %s\n", argv[i]);
      ok = false;
    }
  return ok ? 0 : 1;
}
