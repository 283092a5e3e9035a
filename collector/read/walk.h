// Decodes the records of one chunk in order and hands each to a visitor. A record that does not
// decode ends the chunk: the running time behind it cannot be trusted.
#pragma once
#include <string>

#include "collector/read/trace_file.h"
#include "libinterpose/trace/records.h"

namespace gpustall::collect {

struct WalkEnd {
  bool damaged = false;
  uint64_t offset = 0;   // in the file, of the record that ended the walk
  uint64_t skipped = 0;  // bytes of the chunk from there on
  uint64_t unknown = 0;  // records of kinds that this build does not know
};

std::string damage_sentence(const TraceFile& file, const Chunk& chunk, const WalkEnd& end);

// The visitor takes every record type; `visitor(record)` false: the record makes no sense.
template <typename Visitor>
WalkEnd walk_chunk(const Chunk& chunk, Visitor&& visitor) {
  const auto* begin = reinterpret_cast<const uint8_t*>(chunk.payload.data());
  trace::Reader in(begin, begin + chunk.payload.size());
  trace::Running run{chunk.header.base_time, chunk.header.base_correlation};
  WalkEnd end;
  const uint8_t* at = in.at();
  const auto damaged = [&] {
    end.damaged = true;
    end.offset = chunk.payload_offset() + static_cast<uint64_t>(at - begin);
    end.skipped = chunk.payload.size() - static_cast<uint64_t>(at - begin);
    return end;
  };
  uint8_t tag = 0;
  std::string_view payload;
  while (trace::next_record(in, tag, payload)) {
    switch (static_cast<trace::Tag>(tag)) {
#define GPUSTALL_RECORD(name, tag)                                                  \
  case trace::Tag::name: {                                                          \
    trace::name record;                                                             \
    if (!trace::decode(payload, run, record) || !visitor(record)) return damaged(); \
    break;                                                                          \
  }
#include "libinterpose/trace/records.def"
#undef GPUSTALL_RECORD
      default:
        if (tag == 0) return damaged();  // never a kind: padding that should not be committed
        ++end.unknown;
    }
    at = in.at();
  }
  if (!in.ok()) return damaged();
  return end;
}

}  // namespace gpustall::collect
