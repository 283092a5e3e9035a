// One sweep over the activities of a device in order of their start. For each class of work the
// furthest end so far is enough: whatever runs beyond the frontier began before it.
//
//   frontier ──┬─ compute until its end ─┬─ then copies ─┬─ then collectives ─┬─ gap ─┬ next start
#include "collector/analyze/timeline.h"

#include <algorithm>
#include <limits>

#include "collector/analyze/link.h"

namespace gpustall::collect {
namespace {

enum WorkClass : uint8_t { kCompute, kCopy, kCollective, kWorkClasses };

bool is_collective(std::string_view name) {
  return name.starts_with("nccl") || name.starts_with("rccl") ||
         name.find("ncclKernel") != std::string_view::npos ||
         name.find("ncclDevKernel") != std::string_view::npos;
}

class Sweep {
 public:
  Sweep(const Recording& recording, const std::vector<bool>& collective, Timelines& out)
      : a_(recording.activities), collective_(collective), out_(out) {}

  void run(DeviceIndex device, uint32_t begin, uint32_t end) {
    line_ = {};
    line_.device = device;
    line_.first = frontier_ = a_.start[begin];
    device_end_ = end;
    for (Reach& reach : reach_) reach = {std::numeric_limits<TraceTime>::min(), kNoIndex};
    for (uint32_t i = begin; i < end; ++i) {
      line_.last = i == begin ? a_.end[i] : std::max(line_.last, a_.end[i]);
      // An activity without duration does not end a gap: it would cut it in two for nothing.
      if (a_.end[i] > a_.start[i]) take(i);
    }
    advance(line_.last);
    if (frontier_ < line_.last) close_gap(line_.last, first_at(begin, end, line_.last));
    out_.devices.push_back(line_);
  }

 private:
  struct Reach {
    TraceTime end;
    uint32_t activity;
  };

  void take(uint32_t i) {
    const TraceTime start = a_.start[i];
    if (start > frontier_) {
      advance(start);
      if (frontier_ < start) close_gap(start, i);
    }
    Reach& reach = reach_[class_of(i)];
    if (a_.end[i] > reach.end) reach = {a_.end[i], i};
  }

  WorkClass class_of(uint32_t i) const {
    if (a_.kind[i] == ActivityKind::Memcpy) return kCopy;
    return a_.kind[i] == ActivityKind::Kernel && collective_[raw(a_.name[i])] ? kCollective
                                                                              : kCompute;
  }

  // Accounts for the busy time from the frontier to `until`; leaves the frontier where it ends.
  void advance(TraceTime until) {
    int64_t* const sums[] = {&line_.compute_ns, &line_.exposed_copy_ns,
                             &line_.exposed_collective_ns};
    for (int c = kCompute; c < kWorkClasses; ++c) {
      const TraceTime end = std::min(until, reach_[c].end);
      if (end <= frontier_) continue;
      *sums[c] += end - frontier_;
      line_.busy_ns += end - frontier_;
      if (c != kCompute)
        out_.exposed.push_back({reach_[c].activity, frontier_, end, c == kCollective});
      frontier_ = end;
    }
  }

  void close_gap(TraceTime end, uint32_t closing) {
    // Several activities may start together: the lowest correlation id was asked for first.
    for (uint32_t i = closing + 1; i < device_end_ && a_.start[i] == end; ++i)
      if (a_.correlation[i] != 0 && a_.correlation[i] < a_.correlation[closing]) closing = i;
    out_.gaps.device.push_back(line_.device);
    out_.gaps.start.push_back(frontier_);
    out_.gaps.end.push_back(end);
    out_.gaps.closing.push_back(closing);
    frontier_ = end;
  }

  uint32_t first_at(uint32_t begin, uint32_t end, TraceTime start) const {
    const auto at = std::lower_bound(a_.start.begin() + begin, a_.start.begin() + end, start);
    return std::min(static_cast<uint32_t>(at - a_.start.begin()), end - 1);
  }

  const Activities& a_;
  const std::vector<bool>& collective_;
  Timelines& out_;
  DeviceTimeline line_;
  TraceTime frontier_ = 0;
  Reach reach_[kWorkClasses] = {};
  uint32_t device_end_ = 0;
};

void fill_next_work(const Activities& a, Timelines& t, size_t device) {
  uint32_t next = kNoIndex;
  uint32_t i = t.first_activity[device + 1];
  for (uint32_t g = t.first_gap[device + 1]; g-- > t.first_gap[device];) {
    while (i > t.first_activity[device] && a.start[i - 1] >= t.gaps.end[g]) {
      --i;
      if (a.kind[i] == ActivityKind::Kernel || a.kind[i] == ActivityKind::Graph) next = i;
    }
    t.next_work[g] = next;
  }
}

}  // namespace

Timelines build_timelines(const Recording& recording) {
  const Activities& a = recording.activities;
  std::vector<bool> collective(recording.strings.size());
  for (size_t i = 0; i < collective.size(); ++i)
    collective[i] = is_collective(recording.strings[i]);

  Timelines t;
  // No more gaps than activities; room that stays empty is never touched, growing would copy.
  t.gaps.device.reserve(a.size());
  t.gaps.start.reserve(a.size());
  t.gaps.end.reserve(a.size());
  t.gaps.closing.reserve(a.size());
  Sweep sweep(recording, collective, t);
  const auto n = static_cast<uint32_t>(a.size());
  for (uint32_t begin = 0, end; begin < n; begin = end) {
    const DeviceIndex device = recording.device_of(begin);
    for (end = begin + 1; end < n && recording.device_of(end) == device;) ++end;
    t.first_activity.push_back(begin);
    t.first_gap.push_back(static_cast<uint32_t>(t.gaps.size()));
    sweep.run(device, begin, end);
  }
  t.first_activity.push_back(n);
  t.first_gap.push_back(static_cast<uint32_t>(t.gaps.size()));
  t.next_work.assign(t.gaps.size(), kNoIndex);
  t.idle_before.resize(t.gaps.size());
  for (size_t d = 0; d < t.devices.size(); ++d) {
    fill_next_work(a, t, d);
    int64_t idle = 0;
    for (uint32_t g = t.first_gap[d]; g < t.first_gap[d + 1]; ++g) {
      t.idle_before[g] = idle;
      idle += t.gaps.end[g] - t.gaps.start[g];
    }
  }
  return t;
}

int64_t BusyIn::before(TraceTime time) const {
  const DeviceTimeline& line = t_->devices[device_];
  if (time <= line.first) return 0;
  if (time >= line.last) return line.busy_ns;
  const auto begin = t_->gaps.start.begin() + t_->first_gap[device_];
  const auto end = t_->gaps.start.begin() + t_->first_gap[device_ + 1];
  const auto after = std::upper_bound(begin, end, time);
  if (after == begin) return time - line.first;
  const auto g = static_cast<size_t>(after - t_->gaps.start.begin()) - 1;
  const TraceTime inside = std::min(time, t_->gaps.end[g]) - t_->gaps.start[g];
  return time - line.first - t_->idle_before[g] - inside;
}

}  // namespace gpustall::collect
