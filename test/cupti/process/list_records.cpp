// Prints every record of trace files, one per line: name, the chunk's thread id, then field=value.
// Reads with the format's own headers and nothing of the collector, so that the two cannot agree by
// error.
//   list_records FILE...
#include <cctype>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

#include "libinterpose/trace/records.h"

namespace {

using namespace gpustall::trace;

void print_field(const char* name, uint64_t value) {
  printf(" %s=%llu", name, static_cast<unsigned long long>(value));
}
void print_field(const char* name, int64_t value) {
  printf(" %s=%lld", name, static_cast<long long>(value));
}
// Last on the line; what does not print becomes a full stop.
void print_field(const char* name, std::string_view value) {
  printf(" %s=", name);
  for (const char c : value) putchar(isprint(static_cast<unsigned char>(c)) != 0 ? c : '.');
}

void print_record(uint8_t tag, std::string_view payload, Running& run, uint32_t tid) {
#define GPUSTALL_PRINT(kind, name) print_field(#name, record.name);
#define GPUSTALL_RECORD(name, number)                \
  case number: {                                     \
    name record;                                     \
    if (!decode(payload, run, record)) break;        \
    printf("%s tid=%u", #name, tid);                 \
    GPUSTALL_FIELDS_##name(GPUSTALL_PRINT) puts(""); \
    return;                                          \
  }
  switch (tag) {
#include "libinterpose/trace/records.def"
    default:
      break;
  }
#undef GPUSTALL_RECORD
  printf("Damaged tag=%u\n", tag);
}

void print_file(const char* path) {
  std::ifstream in(path, std::ios::binary);
  const std::vector<char> bytes((std::istreambuf_iterator<char>(in)), {});
  FileHeader header;
  if (bytes.size() < kHeaderBytes) return;
  memcpy(&header, bytes.data(), sizeof header);
  printf("Header pid=%u epoch=%u flags=%u cupti=%u driver=%u clock=%u\n", header.pid, header.epoch,
         header.flags, header.cupti_version, header.cuda_driver_version, header.clock_kind);
  for (int i = 0; i < static_cast<int>(LossKind::Count); ++i)
    if (header.losses[i] != 0)
      printf("Lost kind=%d count=%llu\n", i, static_cast<unsigned long long>(header.losses[i]));
  for (size_t at = kHeaderBytes; at + sizeof(ChunkHeader) <= bytes.size(); at += kChunkBytes) {
    ChunkHeader chunk;
    memcpy(&chunk, bytes.data() + at, sizeof chunk);
    if (chunk.magic != kChunkMagic) continue;
    const auto* payload = reinterpret_cast<const uint8_t*>(bytes.data() + at + sizeof chunk);
    Reader reader(payload, payload + chunk.committed_bytes);
    Running run{chunk.base_time, chunk.base_correlation};
    uint8_t tag = 0;
    std::string_view body;
    while (next_record(reader, tag, body)) print_record(tag, body, run, chunk.tid);
  }
}

}  // namespace

int main(int count, char** paths) {
  for (int i = 1; i < count; ++i) print_file(paths[i]);
  return 0;
}
