#include "collector/read/scan.h"

#include <type_traits>

#include "collector/read/walk.h"

namespace gpustall::collect {
namespace {

using trace::Tag;

// Records without times decode by themselves, so most chunks are only skipped through, record by
// record. A chunk that holds a reading of a clock or a thread's start is decoded in full, since
// those times are deltas to the records before them.
class Scanner {
 public:
  explicit Scanner(FileScan& scan) : s_(scan) {}

  void chunk(const Chunk& chunk) {
    const auto* begin = reinterpret_cast<const uint8_t*>(chunk.payload.data());
    trace::Reader in(begin, begin + chunk.payload.size());
    uint8_t tag = 0;
    std::string_view payload;
    bool has_times = false;
    while (trace::next_record(in, tag, payload)) {
      ++s_.count[tag];
      has_times |= definition(static_cast<Tag>(tag), payload);
    }
    if (has_times) walk_chunk(chunk, [this](const auto& record) { return timed(record); });
  }

 private:
  // True for a record of interest that only a full decode can read.
  bool definition(Tag tag, std::string_view payload) {
    switch (tag) {
      case Tag::String:
        return take<trace::String>(payload, [&](const auto& r) { s_.strings.put(r.id, r.text); });
      case Tag::Code:
        return take<trace::Code>(payload, [&](const auto& r) { s_.codes.put(r.id, r); });
      case Tag::Frame:
        return take<trace::Frame>(payload, [&](const auto& r) { s_.frames.put(r.id, r); });
      case Tag::NativeStack:
        return take<trace::NativeStack>(payload,
                                        [&](const auto& r) { s_.native_stacks.put(r.id, r.pcs); });
      case Tag::Module:
        return take<trace::Module>(payload, [&](const auto& r) { s_.modules.push_back(r); });
      case Tag::Queue:
        return take<trace::Queue>(payload, [&](const auto& r) { s_.queues.put(r.id, r); });
      case Tag::Device:
        return take<trace::Device>(payload, [&](const auto& r) { s_.devices.push_back(r); });
      case Tag::Object:
        return take<trace::Object>(payload, [&](const auto& r) { s_.objects.put(r.id, r); });
      case Tag::Info:
        return take<trace::Info>(payload, [&](const auto& r) { s_.infos.push_back(r); });
      case Tag::Thread:
      case Tag::Clock:
      case Tag::DeviceClock:
        return true;
      default:
        return false;
    }
  }

  template <typename Record, typename Take>
  static bool take(std::string_view payload, Take take_record) {
    trace::Running run;
    Record record;
    if (trace::decode(payload, run, record)) take_record(record);
    return false;
  }

  template <typename Record>
  bool timed(const Record& r) {
    if constexpr (std::is_same_v<Record, trace::Thread>)
      s_.threads.push_back(r);
    else if constexpr (std::is_same_v<Record, trace::Clock>)
      s_.clocks.push_back({r.ticks, r.monotonic_ns, r.realtime_ns});
    else if constexpr (std::is_same_v<Record, trace::DeviceClock>)
      s_.device_clocks.push_back({r.ticks, r.device_ns, r.error_ns});
    return true;
  }

  FileScan& s_;
};

}  // namespace

FileScan scan_file(const TraceFile& file) {
  FileScan scan;
  const trace::FileHeader& h = file.header;
  scan.clocks.push_back({h.start_ticks, h.start_monotonic_ns, h.start_realtime_ns});
  Scanner scanner(scan);
  for (const Chunk& chunk : file.chunks) scanner.chunk(chunk);
  scan.strings.finish();
  scan.native_stacks.finish();
  scan.codes.finish();
  scan.frames.finish();
  scan.queues.finish();
  scan.objects.finish();
  return scan;
}

std::vector<uint64_t> native_pcs(std::string_view coded) {
  const auto* begin = reinterpret_cast<const uint8_t*>(coded.data());
  trace::Reader in(begin, begin + coded.size());
  std::vector<uint64_t> pcs;
  uint64_t pc = 0;
  while (!in.empty()) {
    pc += static_cast<uint64_t>(trace::unzigzag(in.varint()));
    if (!in.ok()) break;
    pcs.push_back(pc);
  }
  return pcs;
}

}  // namespace gpustall::collect
