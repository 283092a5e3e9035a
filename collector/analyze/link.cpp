// Correlation ids count up densely, so a table by id is the join; sparse ones are sorted instead.
#include "collector/analyze/link.h"

#include <algorithm>
#include <limits>

namespace gpustall::collect {
namespace {

constexpr uint64_t kSpread = 16;  // a table may have so many places per call

// One process: correlation -> call.
class CallTable {
 public:
  void count(uint64_t correlation) {
    low_ = std::min(low_, correlation);
    high_ = std::max(high_, correlation);
    ++calls_;
  }
  void prepare() {
    if (calls_ == 0) return;
    dense_ = high_ - low_ < calls_ * kSpread + 1024;
    if (dense_) table_.assign(high_ - low_ + 1, kNoIndex);
  }
  // Of several calls with one id (a runtime call and the driver call inside it) the launching one
  // counts, then the first, which is the outer one.
  void add(uint64_t correlation, uint32_t call, const Calls& calls) {
    if (!dense_) {
      pairs_.push_back({correlation, call});
      return;
    }
    uint32_t& place = table_[correlation - low_];
    if (place == kNoIndex || better(call, place, calls)) place = call;
  }
  void finish(const Calls& calls) {
    std::sort(pairs_.begin(), pairs_.end(), [&calls](const Pair& a, const Pair& b) {
      if (a.correlation != b.correlation) return a.correlation < b.correlation;
      return better(a.call, b.call, calls);
    });
  }
  uint32_t find(uint64_t correlation) const {
    if (dense_)
      return correlation < low_ || correlation > high_ ? kNoIndex : table_[correlation - low_];
    const auto at =
        std::lower_bound(pairs_.begin(), pairs_.end(), correlation,
                         [](const Pair& p, uint64_t wanted) { return p.correlation < wanted; });
    return at == pairs_.end() || at->correlation != correlation ? kNoIndex : at->call;
  }

 private:
  struct Pair {
    uint64_t correlation;
    uint32_t call;
  };
  static bool better(uint32_t a, uint32_t b, const Calls& calls) {
    const bool la = launches_work(calls.call[a]), lb = launches_work(calls.call[b]);
    if (la != lb) return la;
    if (calls.start[a] != calls.start[b]) return calls.start[a] < calls.start[b];
    return calls.end[a] > calls.end[b];
  }
  uint64_t low_ = std::numeric_limits<uint64_t>::max(), high_ = 0, calls_ = 0;
  bool dense_ = false;
  std::vector<uint32_t> table_;
  std::vector<Pair> pairs_;
};

}  // namespace

bool launches_work(trace::Call call) {
  switch (trace::class_of(call)) {
    case trace::CallClass::Launch:
    case trace::CallClass::Graph:
    case trace::CallClass::Copy:
    case trace::CallClass::Set:
      return true;
    default:
      return false;
  }
}

Links link_activities(const Recording& recording) {
  const Calls& calls = recording.calls;
  const Activities& activities = recording.activities;
  std::vector<CallTable> tables(recording.processes.size());
  const auto process_of = [&](size_t call) {
    return raw(recording.threads[raw(calls.thread[call])].process);
  };
  for (size_t i = 0; i < calls.size(); ++i)
    if (calls.correlation[i] != 0) tables[process_of(i)].count(calls.correlation[i]);
  for (CallTable& table : tables) table.prepare();
  for (size_t i = 0; i < calls.size(); ++i)
    if (calls.correlation[i] != 0)
      tables[process_of(i)].add(calls.correlation[i], static_cast<uint32_t>(i), calls);
  for (CallTable& table : tables) table.finish(calls);

  Links links;
  links.call_of.assign(activities.size(), kNoIndex);
  links.activity_of.assign(calls.size(), kNoIndex);
  for (size_t i = 0; i < activities.size(); ++i) {
    if (activities.correlation[i] != 0) {
      const ProcessIndex process = recording.queues[raw(activities.queue[i])].process;
      links.call_of[i] = tables[raw(process)].find(activities.correlation[i]);
    }
    if (links.call_of[i] == kNoIndex) {
      ++links.unlinked;
    } else if (uint32_t& first = links.activity_of[links.call_of[i]]; first == kNoIndex) {
      first = static_cast<uint32_t>(i);
    }
  }
  return links;
}

}  // namespace gpustall::collect
