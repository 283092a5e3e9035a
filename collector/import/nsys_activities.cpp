// Device rows. A graph launch is one activity; the kernels inside it, where they were recorded too,
// are not counted a second time. SYNCHRONIZATION rows are waits, never work.
#include <algorithm>
#include <unordered_set>

#include "collector/columns.h"
#include "collector/import/nsys_devices.h"
#include "collector/import/nsys_rows.h"
#include "collector/import/nsys_words.h"

namespace gpustall::collect {
namespace {

struct Work {
  ActivityKind kind{};
  StringId name{};
  uint64_t bytes = 0;
  uint8_t copy = kCopyUnknown, from = kMemoryUnknown, to = kMemoryUnknown;
};

class Reader {
 public:
  explicit Reader(NsysState& state) : state_(state), devices_(state) {}

  void run() {
    graphs();
    kernels();
    copies();
    sets();
    state_.settle_window();
    drop_far_ones();
  }

 private:
  // The first columns of every table of activities.
  enum Column { kStart, kEnd, kPid, kDevice, kContext, kStream, kCorrelation, kNode, kOwn };

  void graphs() {
    state_.read("CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                {"start", "end", "globalPid", "deviceId", "?contextId", "?streamId",
                 "?correlationId", "?none", "?graphId"},
                [this](const NsysRow& row) {
                  const std::string name = "CUDA graph " + std::to_string(row.integer_or(kOwn, 0));
                  if (add(row, {ActivityKind::Graph, state_.tables.string(name)}))
                    graphs_.insert(key(r_.activities.size() - 1));
                });
  }

  void kernels() {
    state_.read("CUPTI_ACTIVITY_KIND_KERNEL",
                {"start", "end", "globalPid", "deviceId", "?contextId", "?streamId",
                 "?correlationId", "?graphNodeId", "?demangledName", "?shortName"},
                [this](const NsysRow& row) {
                  const auto name = row.integer(kOwn) ? row.integer(kOwn) : row.integer(kOwn + 1);
                  add(row, {ActivityKind::Kernel, name ? state_.string(*name) : StringId{}});
                });
  }

  void copies() {
    state_.read("CUPTI_ACTIVITY_KIND_MEMCPY",
                {"start", "end", "globalPid", "deviceId", "?contextId", "?streamId",
                 "?correlationId", "?graphNodeId", "?bytes", "?copyKind", "?srcKind", "?dstKind"},
                [this](const NsysRow& row) {
                  Work work{ActivityKind::Memcpy};
                  work.bytes = bytes(row.integer_or(kOwn, 0));
                  work.copy = copy_kind_of(row.integer_or(kOwn + 1, 0));
                  work.from = memory_kind_of(row.integer_or(kOwn + 2, 7));
                  work.to = memory_kind_of(row.integer_or(kOwn + 3, 7));
                  add(row, work);
                });
  }

  void sets() {
    state_.read("CUPTI_ACTIVITY_KIND_MEMSET",
                {"start", "end", "globalPid", "deviceId", "?contextId", "?streamId",
                 "?correlationId", "?graphNodeId", "?bytes", "?memKind"},
                [this](const NsysRow& row) {
                  Work work{ActivityKind::Memset};
                  work.bytes = bytes(row.integer_or(kOwn, 0));
                  work.to = memory_kind_of(row.integer_or(kOwn + 1, 7));
                  add(row, work);
                });
  }

  static uint64_t bytes(int64_t value) { return value < 0 ? 0 : static_cast<uint64_t>(value); }
  // Wild numbers stay apart as well as 32 bits can.
  static uint32_t id(int64_t value) { return static_cast<uint32_t>(value ^ (value >> 32)); }

  bool add(const NsysRow& row, const Work& work) {
    const std::optional<NsysTimes> at = state_.times(row, kStart, kEnd);
    const std::optional<int64_t> device = row.integer(kDevice);
    const std::optional<ProcessIndex> process =
        at && device ? state_.process(row.integer(kPid)) : std::nullopt;
    if (!process) {
      state_.reject();
      return false;
    }
    const int64_t correlation = row.integer_or(kCorrelation, 0);
    if (!graphs_.empty() && row.integer_or(kNode, 0) != 0 &&
        graphs_.count(key(*process, static_cast<uint64_t>(correlation))) != 0)
      return false;
    const QueueIndex queue = devices_.queue(
        *process, {id(*device), id(row.integer_or(kContext, 0)), id(row.integer_or(kStream, 0))});
    Activities& a = r_.activities;
    a.kind.push_back(work.kind);
    a.queue.push_back(queue);
    a.start.push_back(at->start);
    a.end.push_back(at->end);
    a.correlation.push_back(static_cast<uint64_t>(correlation));
    a.name.push_back(work.name);
    a.bytes.push_back(work.bytes);
    a.copy_kind.push_back(work.copy);
    a.src_kind.push_back(work.from);
    a.dst_kind.push_back(work.to);
    return true;
  }

  static uint64_t key(ProcessIndex process, uint64_t correlation) {
    return (uint64_t{raw(process)} << 40) ^ correlation;
  }
  uint64_t key(size_t activity) const {
    const Activities& a = r_.activities;
    return key(r_.queues[raw(a.queue[activity])].process, a.correlation[activity]);
  }

  void drop_far_ones() {
    Activities& a = r_.activities;
    const size_t before = a.size();
    std::vector<bool> keep(before);
    for (size_t i = 0; i < before; ++i) keep[i] = state_.is_time(a.start[i]);
    if (std::find(keep.begin(), keep.end(), false) != keep.end()) {
      each_column(a, [&](auto& column) {
        size_t kept = 0;
        for (size_t i = 0; i < before; ++i)
          if (keep[i]) column[kept++] = column[i];
        column.resize(kept);
      });
      r_.damage.push_back(std::to_string(before - a.size()) +
                          " activities lie years away from the others: left out");
    }
    for (size_t i = 0; i < a.size(); ++i)
      state_.seen(r_.queues[raw(a.queue[i])].process, {a.start[i], a.end[i]});
  }

  NsysState& state_;
  Recording& r_ = state_.r;
  NsysDevices devices_;
  std::unordered_set<uint64_t> graphs_;
};

}  // namespace

void read_nsys_activities(NsysState& state) {
  Reader(state).run();
}

}  // namespace gpustall::collect
