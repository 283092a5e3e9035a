// One .gst file taken apart into header and chunks; nothing is decoded yet. Every offset and length
// is checked here once, so that later passes see only bytes that are there. Damage inside is a
// sentence, never an error: only a file that is no trace, or of another version, is refused.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "collector/result.h"
#include "libinterpose/trace/format.h"

namespace gpustall::collect {

struct Chunk {
  uint64_t offset = 0;  // of the chunk header, in the file
  uint32_t index = 0;
  trace::ChunkHeader header{};
  std::string_view payload;  // the committed bytes that are in the file

  trace::StreamKind kind() const { return static_cast<trace::StreamKind>(header.stream_kind); }
  uint64_t payload_offset() const { return offset + sizeof(trace::ChunkHeader); }
};

struct TraceFile {
  std::string name;
  std::string_view bytes;  // owned by the caller, must outlive this
  trace::FileHeader header{};
  std::vector<Chunk> chunks;  // by stream kind, thread, sequence
  std::vector<std::string> damage;

  std::string host() const;
  bool flag(trace::HeaderFlag flag) const { return (header.flags & flag) != 0; }
};

Result<TraceFile> open_trace(std::string name, std::string_view bytes);

// True when the bytes begin like a trace, whole or cut off.
bool looks_like_trace(std::string_view bytes);

}  // namespace gpustall::collect
