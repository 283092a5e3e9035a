// Header checks and the walk over the chunks.
#include "collector/read/trace_file.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace gpustall::collect {
namespace {

std::string versions_sentence(const TraceFile& f) {
  using namespace trace;
  const FileHeader& h = f.header;
  std::string text = f.name + " has trace format " + std::to_string(h.format_version);
  if (h.format_version < kOldestReadable)
    return text + ", this program reads formats " + std::to_string(kOldestReadable) + " to " +
           std::to_string(kFormatVersion) + "; read it with the gpustall that wrote it";
  return text + " and needs a reader of format " + std::to_string(h.min_reader_version) +
         " or later, this program reads formats " + std::to_string(kOldestReadable) + " to " +
         std::to_string(kFormatVersion) + "; install a newer gpustall";
}

// Empty when the header is good.
std::string header_fault(const TraceFile& f) {
  using namespace trace;
  const std::string rerecord = "; delete it and record again";
  if (f.bytes.empty())
    return f.name + " is empty: its process ended before it wrote anything" + rerecord;
  const size_t magic_bytes = std::min(f.bytes.size(), sizeof kMagic);
  const bool zero = std::all_of(f.bytes.begin(), f.bytes.begin() + static_cast<long>(magic_bytes),
                                [](char c) { return c == 0; });
  if (zero) return f.name + " has no header: its process was killed while it started" + rerecord;
  if (std::memcmp(f.bytes.data(), kMagic, magic_bytes) != 0)
    return f.name +
           " is not a gpustall trace; name a recording's directory or one of its .gst"
           " files";
  if (f.bytes.size() < sizeof(FileHeader))
    return f.name + " is cut off inside its header, after " + std::to_string(f.bytes.size()) +
           " bytes; copy it again, or record again";
  if (f.header.format_version < kOldestReadable || f.header.min_reader_version > kFormatVersion)
    return versions_sentence(f);
  const uint32_t chunk = f.header.chunk_bytes, head = f.header.header_bytes;
  if (chunk < 4096 || chunk > (1u << 26) || head < sizeof(FileHeader) || head > (1u << 20))
    return f.name + " has a damaged header (header of " + std::to_string(head) +
           " bytes, chunks of " + std::to_string(chunk) + ")" + rerecord;
  return {};
}

class ChunkWalk {
 public:
  explicit ChunkWalk(TraceFile& file) : f_(file) {}

  void run() {
    for (uint32_t i = 0;; ++i) {
      const uint64_t offset = f_.header.header_bytes + uint64_t{i} * f_.header.chunk_bytes;
      if (offset >= f_.bytes.size()) break;
      const size_t there = std::min<size_t>(f_.header.chunk_bytes, f_.bytes.size() - offset);
      const bool claimed = i < f_.header.chunks_claimed;
      if (!take(i, offset, there, claimed) && !claimed) break;
    }
    order();
  }

 private:
  // False where there is no chunk.
  bool take(uint32_t index, uint64_t offset, size_t there, bool claimed) {
    Chunk chunk;
    chunk.offset = offset;
    chunk.index = index;
    if (there < sizeof chunk.header) {
      if (claimed) damaged(chunk, "is cut off inside its header");
      return false;
    }
    std::memcpy(&chunk.header, f_.bytes.data() + offset, sizeof chunk.header);
    if (chunk.header.magic != trace::kChunkMagic) {
      // All zero: claimed by a thread that was stopped before it wrote. Nothing is missing.
      if (claimed && !all_zero(offset)) damaged(chunk, "has no chunk header");
      return false;
    }
    if (!claimed && !note_unclaimed_) {
      note_unclaimed_ = true;
      f_.damage.push_back(f_.name + " holds more chunks than its header counts (" +
                          std::to_string(f_.header.chunks_claimed) + "); all were read");
    }
    if (chunk.header.stream_kind > static_cast<uint16_t>(trace::StreamKind::Dictionary)) {
      damaged(chunk, "is of an unknown kind (" + std::to_string(chunk.header.stream_kind) + ")");
      return true;
    }
    const size_t room = there - sizeof chunk.header;
    size_t length = chunk.header.committed_bytes;
    if (length > room) {
      damaged(chunk, "is cut off: " + std::to_string(length) + " bytes were written, " +
                         std::to_string(room) + " are there");
      length = room;
    }
    chunk.payload = f_.bytes.substr(chunk.payload_offset(), length);
    f_.chunks.push_back(chunk);
    return true;
  }

  bool all_zero(uint64_t offset) const {
    const std::string_view head = f_.bytes.substr(offset, sizeof(trace::ChunkHeader));
    return std::all_of(head.begin(), head.end(), [](char c) { return c == 0; });
  }

  // Groups the streams, drops repetitions, states holes.
  void order() {
    const auto stream = [](const Chunk& c) { return std::tie(c.header.stream_kind, c.header.tid); };
    std::stable_sort(f_.chunks.begin(), f_.chunks.end(), [&](const Chunk& a, const Chunk& b) {
      return std::tuple_cat(stream(a), std::tie(a.header.sequence)) <
             std::tuple_cat(stream(b), std::tie(b.header.sequence));
    });
    std::vector<Chunk> kept;
    kept.reserve(f_.chunks.size());
    for (const Chunk& c : f_.chunks) {
      const bool first = kept.empty() || stream(kept.back()) != stream(c);
      const uint64_t expected = first ? 0 : uint64_t{kept.back().header.sequence} + 1;
      // A thread that took an ended one's tid starts at 0 again: only the same bytes are a
      // repetition.
      if (!first && c.header.sequence == kept.back().header.sequence &&
          c.payload == kept.back().payload) {
        damaged(c, "repeats an earlier one and was left out");
        continue;
      }
      if (c.header.sequence > expected)
        f_.damage.push_back(f_.name + " lacks " + std::to_string(c.header.sequence - expected) +
                            " chunks of thread " + std::to_string(c.header.tid) + " before byte " +
                            std::to_string(c.offset));
      kept.push_back(c);
    }
    f_.chunks = std::move(kept);
  }

  void damaged(const Chunk& c, const std::string& what) {
    f_.damage.push_back(f_.name + ": chunk " + std::to_string(c.index) + " at byte " +
                        std::to_string(c.offset) + " " + what);
  }

  TraceFile& f_;
  bool note_unclaimed_ = false;
};

}  // namespace

std::string TraceFile::host() const {
  return {header.host, strnlen(header.host, sizeof header.host)};
}

bool looks_like_trace(std::string_view bytes) {
  const size_t n = std::min(bytes.size(), sizeof trace::kMagic);
  return n != 0 && std::memcmp(bytes.data(), trace::kMagic, n) == 0;
}

Result<TraceFile> open_trace(std::string name, std::string_view bytes) {
  TraceFile file;
  file.name = std::move(name);
  file.bytes = bytes;
  if (bytes.size() >= sizeof file.header)
    std::memcpy(&file.header, bytes.data(), sizeof file.header);
  if (std::string fault = header_fault(file); !fault.empty()) return Error{std::move(fault)};
  ChunkWalk(file).run();
  return file;
}

}  // namespace gpustall::collect
