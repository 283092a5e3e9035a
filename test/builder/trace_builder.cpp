// TraceBuilder: the format by hand. Offsets and codings are FORMAT.md's, spelled out.
#include "test/builder/trace_builder.h"

#include <charconv>
#include <stdexcept>

#include "test/builder/words.h"

namespace gpustall::test {
namespace {

std::string varint(uint64_t v) {
  std::string out;
  do {
    const auto low = static_cast<char>(v % 128);
    v /= 128;
    out += static_cast<char>(v != 0 ? low | 0x80 : low);
  } while (v != 0);
  return out;
}

// 0, -1, 1, -2, 2 … -> 0, 1, 2, 3, 4 …
uint64_t folded(int64_t v) {
  return v >= 0 ? static_cast<uint64_t>(v) * 2 : static_cast<uint64_t>(-(v + 1)) * 2 + 1;
}

template <typename T>
void put(std::string& to, size_t offset, T value) {
  for (size_t i = 0; i < sizeof value; ++i)
    to[offset + i] = static_cast<char>(static_cast<uint64_t>(value) >> (8 * i));
}

}  // namespace

TraceBuilder::TraceBuilder(HeaderFields header, uint32_t chunk_bytes)
    : header_(std::move(header)), chunk_bytes_(chunk_bytes) {
  dictionary();
}

TraceBuilder& TraceBuilder::select(trace::StreamKind kind, uint32_t tid) {
  current_ = {static_cast<uint16_t>(kind), tid};
  return *this;
}
TraceBuilder& TraceBuilder::thread(uint32_t tid) {
  return select(trace::StreamKind::Thread, tid);
}
TraceBuilder& TraceBuilder::device(uint32_t tid) {
  return select(trace::StreamKind::Device, tid);
}
TraceBuilder& TraceBuilder::dictionary() {
  return select(trace::StreamKind::Dictionary, 0);
}

TraceBuilder& TraceBuilder::new_chunk() {
  const auto open = open_.find(current_);
  const uint32_t sequence = open == open_.end() ? 0 : chunks_[open->second].sequence + 1;
  OpenChunk& made = chunks_.emplace_back();
  made.kind = current_.first;
  made.tid = current_.second;
  made.sequence = sequence;
  // Bases other than zero, so that a reader that ignores them fails.
  made.base_time = made.time = header_.start_ticks + 5;
  made.correlation = 3;
  open_[current_] = chunks_.size() - 1;
  return *this;
}

TraceBuilder::OpenChunk& TraceBuilder::room_for(size_t bytes) {
  const auto open = open_.find(current_);
  if (open == open_.end() || chunks_[open->second].payload.size() + bytes + 48 > chunk_bytes_)
    new_chunk();
  return chunks_[open_[current_]];
}

void TraceBuilder::begin(uint8_t tag) {
  // A record may move to a new chunk, and its deltas then start from that one's bases.
  OpenChunk& chunk = room_for(256);
  tag_ = tag;
  coded_.clear();
  used_ = 0;
  time_ = chunk.time;
  correlation_ = chunk.correlation;
}

void TraceBuilder::field(char kind, int64_t value) {
  uint64_t wire = folded(value);
  if (kind == 'T') {
    wire = folded(value - time_);
    time_ = value;
  }
  coded_.push_back(varint(wire));
  if (wire != 0) used_ = coded_.size();
}

void TraceBuilder::field(char kind, uint64_t value) {
  uint64_t wire = value;
  if (kind == 'D') time_ += static_cast<int64_t>(value);
  if (kind == 'C' && value != 0) {
    wire = 1 + folded(static_cast<int64_t>(value - correlation_));
    correlation_ = value;
  }
  coded_.push_back(varint(wire));
  if (wire != 0) used_ = coded_.size();
}

void TraceBuilder::field(char, std::string_view bytes) {
  coded_.emplace_back(bytes);
  if (!bytes.empty()) used_ = coded_.size();
}

void TraceBuilder::end() {
  std::string payload;
  for (size_t i = 0; i < used_; ++i) payload += coded_[i];
  OpenChunk& chunk = chunks_[open_[current_]];
  if (chunk.payload.size() + payload.size() + 8 + 48 > chunk_bytes_)
    throw std::length_error("the record does not fit into the chunk");
  chunk.payload += static_cast<char>(tag_) + varint(payload.size()) + payload;
  chunk.time = time_;
  chunk.correlation = correlation_;
}

TraceBuilder& TraceBuilder::add_raw(uint8_t tag, std::string_view payload) {
  begin(tag);
  field('B', payload);
  end();
  return *this;
}

uint64_t TraceBuilder::string(std::string_view text) {
  if (text.empty()) return 0;
  const auto [at, made] = strings_.try_emplace(std::string(text), strings_.size() + 1);
  if (made) add(trace::String{at->second, text});
  return at->second;
}

uint64_t TraceBuilder::queue(uint64_t device, uint64_t context, uint64_t stream) {
  const auto [at, made] = queues_.try_emplace({device, context, stream}, queues_.size() + 1);
  if (made) add(trace::Queue{at->second, device, context, stream});
  return at->second;
}

uint64_t TraceBuilder::stack(std::string_view frames) {
  uint64_t parent = 0;
  for (std::string_view text : split(frames, ';')) {
    auto [code, new_code] = codes_.try_emplace(std::string(text), codes_.size() + 1);
    if (new_code) {
      const size_t space = text.find(' '), colon = text.rfind(':', space);
      uint64_t line = 0;
      if (colon == std::string_view::npos ||
          std::from_chars(text.data() + colon + 1, text.data() + space, line).ec != std::errc())
        throw std::invalid_argument("not a frame: " + std::string(text));
      const uint64_t file = string(text.substr(0, colon));
      const uint64_t function = string(trimmed(text.substr(space)));
      // One entry: no columns (13), 8 units long, the line after first_line (zigzag 1 = 2).
      add(trace::Code{code->second, file, function, line - 1, std::string_view("\xef\x02", 2)});
    }
    auto [frame, made] = frames_.try_emplace({parent, code->second}, frames_.size() + 1);
    if (made) add(trace::Frame{frame->second, parent, code->second, 2});
    parent = frame->second;
  }
  return parent;
}

std::string TraceBuilder::bytes() const {
  const HeaderFields& h = header_;
  std::string out(4096, '\0');
  out.replace(0, 8, "GPUSTALL");
  put(out, 8, h.format_version);
  put(out, 10, h.min_reader_version);
  put(out, 12, uint32_t{4096});
  put(out, 16, chunk_bytes_);
  put(out, 20, h.flags);
  put(out, 24, uint64_t{chunks_.size()});
  put(out, 32, h.pid);
  put(out, 36, h.parent_pid);
  put(out, 40, h.epoch);
  put(out, 44, h.rank);
  put(out, 48, static_cast<uint8_t>(h.role));
  put(out, 49, static_cast<uint8_t>(h.clock));
  put(out, 52, h.python_version);
  put(out, 56, uint64_t{0x1111});
  put(out, 64, uint64_t{0x2222});
  put(out, 72, h.start_ticks);
  put(out, 80, h.start_monotonic_ns);
  put(out, 88, h.start_realtime_ns);
  put(out, 96, (h.flags & trace::kCleanEnd) != 0 ? h.end_ticks : 0);
  out.replace(120, h.host.size(), h.host);
  for (const auto& [kind, count] : h.losses) put(out, 184 + 8 * kind, count);
  for (const OpenChunk& c : chunks_) {
    std::string chunk(chunk_bytes_, '\0');
    put(chunk, 0, uint32_t{0x48435347});
    put(chunk, 4, static_cast<uint32_t>(c.payload.size()));
    put(chunk, 8, c.tid);
    put(chunk, 12, c.kind);
    put(chunk, 16, c.sequence);
    put(chunk, 24, c.base_time);
    put(chunk, 32, uint64_t{3});
    chunk.replace(48, c.payload.size(), c.payload);
    out += chunk;
  }
  return out;
}

}  // namespace gpustall::test
