// The causes of idle time as one track per device without overlaps, and who is to blame for copies
// and collectives that nothing overlaps. Under a size cap short gaps are drawn in groups.
#include <algorithm>
#include <map>

#include "viewer-cli/export/arrows.h"
#include "viewer-cli/export/cause_rows.h"
#include "viewer-cli/export/step_cursor.h"

namespace gpustall::cli {

namespace {

using namespace collect;  // NOLINT: all of this is about the collector's tables

constexpr int64_t kGroupParts = 2'000;  // a group is no longer than this part of the timeline

class CauseTracks {
 public:
  explicit CauseTracks(TimelineState& state)
      : s_(state),
        a_(state.in.analysis),
        rows_(state),
        longest_group_(state.in.clock.last() / kGroupParts) {}

  void run() {
    uint32_t gap = 0;
    for (const DeviceTimeline& line : a_.timelines) {
      device_ = line.device;
      uint32_t end = gap;
      while (end < a_.gaps.size() && a_.gaps.device[end] == device_) ++end;
      if (s_.summary.devices[raw(device_)]) device(gap, end);
      gap = end;
    }
    exposed();
  }

 private:
  struct Group {
    int64_t start = 0, end = 0, idle_ns = 0;
    uint64_t gaps = 0;
    std::map<Cause, int64_t> causes;
  };

  void device(uint32_t begin, uint32_t end) {
    track_ = {s_.in.ids.of(device_), s_.in.ids.next()};
    s_.name_track(track_, "causes of idle time", 0);
    InSelection selected(s_.summary);
    StepCursor step(s_.in, device_);
    for (uint32_t g = begin; g < end; ++g) {
      const int64_t from = s_.in.clock.device(device_, a_.gaps.start[g]);
      const int64_t to = s_.in.clock.device(device_, a_.gaps.end[g]);
      if (!selected.overlaps(from, to)) continue;
      if (to - from < s_.summary.shortest_gap) {
        add_to_group(g, from, to);
        continue;
      }
      write_group();
      for (uint32_t s = a_.gaps.first_slice[g]; s < a_.gaps.first_slice[g + 1]; ++s)
        slice(s, step.at(a_.slices.start[s]));
    }
    write_group();
  }

  void slice(uint32_t s, int64_t step) {
    const Slices& slices = a_.slices;
    const int64_t start = s_.in.clock.device(device_, slices.start[s]);
    const int64_t end = s_.in.clock.device(device_, slices.end[s]);
    rows_.open(slices.cause[s], track_, start, end, "gpustall_cause", slices.stack[s]);
    s_.out.args();
    s_.out.member("gap", slices.gap[s]);
    if (step > 0) s_.out.member("step", step);
    rows_.site(slices.site[s]);
    s_.out.member("object", std::string_view(s_.in.strings.text(slices.object[s])));
    if (const uint64_t others = slices.also(s)) s_.out.member_json("also", also(others));
    if (slices.group[s] != 0) s_.out.member("group", slices.group[s]);
    rows_.gain(device_, s);
    rows_.stack(slices.stack[s]);
    s_.out.end();
    s_.arrows.write_to_slice(s_, s, track_, start);
  }

  static std::string also(uint64_t causes) {
    std::string json = "[";
    for (unsigned c = 0; c < kCauseCount; ++c) {
      if ((causes >> c & 1) == 0) continue;
      if (json.size() > 1) json += ',';
      append_quoted(json, kCauses[c].id);
    }
    return json + "]";
  }

  void add_to_group(uint32_t g, int64_t from, int64_t to) {
    if (group_.gaps > 0 && to - group_.start > longest_group_) write_group();
    if (group_.gaps == 0) group_.start = from;
    group_.end = to;
    group_.idle_ns += to - from;
    ++group_.gaps;
    ++s_.counts.grouped_gaps;
    for (uint32_t s = a_.gaps.first_slice[g]; s < a_.gaps.first_slice[g + 1]; ++s)
      group_.causes[a_.slices.cause[s]] += a_.slices.end[s] - a_.slices.start[s];
  }

  void write_group() {
    if (group_.gaps == 0) return;
    const auto largest =
        std::max_element(group_.causes.begin(), group_.causes.end(),
                         [](const auto& x, const auto& y) { return x.second < y.second; })
            ->first;
    rows_.open(largest, track_, group_.start, group_.end, "gpustall_causes", kNone<StackId>);
    s_.out.args();
    s_.out.member("gaps", static_cast<int64_t>(group_.gaps));
    s_.out.member("idle_ns", group_.idle_ns);
    for (const auto& [cause, ns] : group_.causes) s_.out.member(text_of(cause).id, ns);
    s_.out.end();
    group_ = {};
  }

  void exposed() {
    const BusySlices& b = a_.busy_slices;
    InSelection selected(s_.selection);
    device_ = kNone<DeviceIndex>;
    for (size_t i = 0; i < b.size(); ++i) {
      if (!s_.selection.devices[raw(b.device[i])]) continue;
      const int64_t start = s_.in.clock.device(b.device[i], b.start[i]);
      const int64_t end = s_.in.clock.device(b.device[i], b.end[i]);
      if (b.device[i] != device_) {
        device_ = b.device[i];
        track_ = {s_.in.ids.of(device_), s_.in.ids.next()};
        s_.name_track(track_, "copies and collectives alone", 2);
        selected = InSelection(s_.selection);
      }
      if (!selected.overlaps(start, end)) continue;
      rows_.open(b.cause[i], track_, start, end, "gpustall_exposed", b.stack[i]);
      s_.out.args();
      rows_.site(b.site[i]);
      s_.out.member("object", std::string_view(s_.in.strings.text(b.object[i])));
      rows_.stack(b.stack[i]);
      s_.out.end();
    }
  }

  TimelineState& s_;
  const Analysis& a_;
  CauseRows rows_;
  const int64_t longest_group_;
  DeviceIndex device_{};
  Track track_;
  Group group_;
};

}  // namespace

void write_causes(TimelineState& state) {
  CauseTracks(state).run();
}

}  // namespace gpustall::cli
