// The recorder as the CUPTI source sees it, in memory: no file, no helper thread. Chunks are kept
// and decoded on request, so the tests read what a trace would hold.
#pragma once
#include <string>
#include <vector>

#include "libinterpose/helper.h"
#include "libinterpose/recorder.h"

namespace gpustall::test {

// Forgets everything; recording is on.
void reset_recorder();

// All records of one type, in the order of their stream; thread streams first.
template <class Record>
std::vector<Record> recorded();
std::string text_of(uint64_t id);
struct QueueParts {
  uint64_t device, context, stream;
};
QueueParts queue_of(uint64_t id);

uint64_t losses(trace::LossKind kind);
struct Said {
  trace::NoticeKind kind;
  int64_t code;
  std::string text;
};
const std::vector<Said>& notices();

// Runs the job that the source registered, as the helper thread would.
void run_helper(interpose::Round round);

// Every chunk so far: kind and payload.
struct Chunk {
  trace::StreamKind kind;
  trace::ChunkHeader* header;
};
const std::vector<Chunk>& chunks();

template <class Record>
std::vector<Record> recorded() {
  std::vector<Record> out;
  for (const Chunk& chunk : chunks()) {
    const auto* payload = reinterpret_cast<const uint8_t*>(chunk.header + 1);
    trace::Reader in(payload, payload + chunk.header->committed_bytes);
    trace::Running run{chunk.header->base_time, chunk.header->base_correlation};
    uint8_t tag = 0;
    std::string_view body;
    while (trace::next_record(in, tag, body)) {
      switch (static_cast<trace::Tag>(tag)) {
#define GPUSTALL_RECORD(name, number)                                         \
  case trace::Tag::name: {                                                    \
    trace::name record;                                                       \
    trace::decode(body, run, record);                                         \
    if constexpr (std::is_same_v<trace::name, Record>) out.push_back(record); \
    break;                                                                    \
  }
#include "libinterpose/trace/records.def"
#undef GPUSTALL_RECORD
      }
    }
  }
  return out;
}

}  // namespace gpustall::test
