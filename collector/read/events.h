// Second pass over a file: records to rows of the Recording's event tables. The hot path of
// reading: no allocation per event beyond the columns' own growth (they are reserved), no look-up
// but array indexing.
#pragma once
#include <string>
#include <vector>

#include "collector/read/file_ids.h"
#include "collector/read/host_clock.h"

namespace gpustall::collect {

// Device nanoseconds that can belong to the file: what lies far outside came from damage.
struct TimeRange {
  int64_t from = INT64_MIN, until = INT64_MAX;
  bool holds(int64_t t) const { return t >= from && t <= until; }
};

struct TimedNotice {
  TraceTime at = 0;
  trace::NoticeKind kind{};
  int64_t code = 0;
  std::string text;
};

// What a file's records say besides the rows that they became.
struct FileEvents {
  TraceTime first_ns = INT64_MAX, last_ns = INT64_MIN;  // host events
  std::vector<TimedNotice> notices;
  std::vector<uint64_t> losses;   // by LossKind, as Loss records say
  uint64_t own_ns = 0;            // OwnCost
  uint64_t nonsense = 0;          // rows left out: reversed times, undefined queue
  std::vector<size_t> overheads;  // rows of Recording::overheads, still in device time
};

struct EventInput {
  const FileContext& context;
  FileIds& ids;
  HostClock& clock;
  TimeRange host_range, device_range;
};

// Decodes one chunk; what the chunk's damage cost is added to Recording::damage. Wakers stay tids
// (as ThreadIndex) until every file is read: they may live in another process.
class EventReader {
 public:
  EventReader(Recording& recording, Tables& tables, EventInput input);
  void chunk(const Chunk& chunk);
  FileEvents take() { return std::move(out_); }

  template <typename Record>
  bool operator()(const Record&) {
    return true;  // definitions and clocks: read by the scan
  }
  bool operator()(const trace::Api& r);
  bool operator()(const trace::Wait& r);
  bool operator()(const trace::Range& r);
  bool operator()(const trace::Mark& r);
  bool operator()(const trace::Gc& r);
  bool operator()(const trace::Kernel& r);
  bool operator()(const trace::Memcpy& r);
  bool operator()(const trace::Memset& r);
  bool operator()(const trace::GraphRun& r);
  bool operator()(const trace::Overhead& r);
  bool operator()(const trace::Sample& r);
  bool operator()(const trace::Counter& r);
  bool operator()(const trace::Loss& r);
  bool operator()(const trace::Notice& r);
  bool operator()(const trace::Fork& r);
  bool operator()(const trace::OwnCost& r);
  bool operator()(const trace::Card& r);
  bool operator()(const trace::CardState& r);

 private:
  struct Times {
    TraceTime start, end;
    bool ok;
  };
  Times host_times(int64_t ticks, uint64_t duration);
  bool activity(ActivityKind kind, uint64_t queue, int64_t start, uint64_t duration,
                uint64_t correlation, uint64_t name);
  void range(RangeKind kind, Times at, StringId domain, StringId name);
  ThreadIndex sampled_thread(uint64_t pid, uint64_t tid);

  Recording& r_;
  Tables& t_;
  EventInput in_;
  FileEvents out_;
  ThreadIndex thread_{};
  StringId gc_names_[3]{};
};

}  // namespace gpustall::collect
