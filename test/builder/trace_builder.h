// Builds .gst bytes in memory, for the tests of the reader. Written against FORMAT.md by hand and
// not with the product's writer or structs, so that a mistake in those cannot hide: only the list
// of records (records.def) and the records' field names are shared.
//
//   TraceBuilder t;
//   t.thread(100).add(trace::Api{.call = 1, .start = 2'000, .duration = 500, .correlation = 7});
//   t.device().add(trace::Kernel{.queue = t.queue(0, 1, 7), .start = 3'000, .duration = 900});
//   std::string bytes = t.bytes();
//
// Times are absolute; the builder makes the deltas. Damage: damage.h.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "libinterpose/trace/records.h"

namespace gpustall::test {

struct HeaderFields {
  uint32_t pid = 100, parent_pid = 1, epoch = 0;
  int32_t rank = -1;
  uint32_t flags = trace::kCleanEnd;
  trace::Role role = trace::Role::Trainer;
  trace::ClockKind clock = trace::ClockKind::MonotonicNs;
  uint32_t python_version = 0x030b0200;
  int64_t start_ticks = 1'000, start_monotonic_ns = 1'000,
          start_realtime_ns = 1'700'000'000'000'000'000;
  int64_t end_ticks = 1'000'000'000;
  uint16_t format_version = 1, min_reader_version = 1;
  std::string host = "host";
  std::map<unsigned, uint64_t> losses;  // by LossKind
};

class TraceBuilder {
 public:
  explicit TraceBuilder(HeaderFields header = {}, uint32_t chunk_bytes = 65536);

  // Later records go to this stream, which is opened on first use.
  TraceBuilder& thread(uint32_t tid);
  TraceBuilder& device(uint32_t tid = 0);
  TraceBuilder& dictionary();
  // The current stream goes on in a new chunk.
  TraceBuilder& new_chunk();

  template <typename Record>
  TraceBuilder& add(const Record& record);
  // A record as bytes, for kinds and fields that this version does not know.
  TraceBuilder& add_raw(uint8_t tag, std::string_view payload);

  // Dictionary entries, written to the current stream on first use; return the id.
  uint64_t string(std::string_view text);
  uint64_t queue(uint64_t device, uint64_t context, uint64_t stream);
  // "train.py:10 main; model.py:3 forward", outermost first; lines as CPython 3.11 codes them.
  uint64_t stack(std::string_view frames);

  std::string bytes() const;

 private:
  struct OpenChunk {
    uint32_t tid;
    uint16_t kind;
    uint32_t sequence;
    int64_t base_time = 0, time = 0;
    uint64_t correlation = 0;
    std::string payload;
  };
  using StreamKey = std::pair<uint16_t, uint32_t>;

  TraceBuilder& select(trace::StreamKind kind, uint32_t tid);
  OpenChunk& room_for(size_t record_bytes);
  void begin(uint8_t tag);
  void field(char kind, int64_t value);
  void field(char kind, uint64_t value);
  void field(char kind, std::string_view bytes);
  void end();

  HeaderFields header_;
  uint32_t chunk_bytes_;
  std::vector<OpenChunk> chunks_;  // in the order of the file
  std::map<StreamKey, size_t> open_;
  StreamKey current_{};
  std::map<std::string, uint64_t, std::less<>> strings_;
  std::map<std::tuple<uint64_t, uint64_t, uint64_t>, uint64_t> queues_;
  std::map<std::string, uint64_t, std::less<>> codes_;
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> frames_;

  // The record being coded: bytes of each field, and up to which one they are not all zero.
  uint8_t tag_ = 0;
  std::vector<std::string> coded_;
  size_t used_ = 0;
  int64_t time_ = 0;
  uint64_t correlation_ = 0;
};

#define GPUSTALL_BUILD(kind, name) field(#kind[0], record.name);
#define GPUSTALL_RECORD(name, tag)                                                 \
  template <>                                                                      \
  inline TraceBuilder& TraceBuilder::add<trace::name>(const trace::name& record) { \
    begin(tag);                                                                    \
    GPUSTALL_FIELDS_##name(GPUSTALL_BUILD) end();                                  \
    return *this;                                                                  \
  }
#include "libinterpose/trace/records.def"
#undef GPUSTALL_RECORD
#undef GPUSTALL_BUILD

}  // namespace gpustall::test
