// What fits into a file that viewers can open. Everything, if it does; else all causes and steps
// (short gaps in groups, if they are too many), and everything else around the longest gaps. The
// size is never guessed: what would be written is written to nowhere and counted.
#include <algorithm>

#include "viewer-cli/command.h"
#include "viewer-cli/export/timeline.h"
#include "viewer-cli/render/units.h"

namespace gpustall::cli {

namespace {

using namespace collect;  // NOLINT: all of this is about the collector's tables

constexpr uint64_t kHeaderRoom = 4096;    // for the sentences that say what is left out
constexpr uint64_t kBytesPerSlice = 480;  // of a cause with its site and stack
constexpr uint64_t kBytesPerStep = 420;   // on the host and on the device
constexpr int kTries = 8;

struct TooMuch {};  // thrown where the text grows beyond its limit

class MeasuringSink : public TextSink {
 public:
  explicit MeasuringSink(uint64_t limit) : limit_(limit) {}
  void write(std::string_view text) override {
    bytes += text.size();
    if (bytes > limit_) throw TooMuch{};
  }
  uint64_t bytes = 0;

 private:
  uint64_t limit_;
};

// What was asked for stays; of longer intervals only what is asked for.
std::vector<Interval> common(const std::vector<Interval>& a, const std::vector<Interval>& b) {
  std::vector<Interval> both;
  for (size_t i = 0, k = 0; i < a.size() && k < b.size();) {
    const Interval x{std::max(a[i].start, b[k].start), std::min(a[i].end, b[k].end)};
    if (x.start < x.end) both.push_back(x);
    a[i].end < b[k].end ? ++i : ++k;
  }
  return both;
}

std::string size_text(uint64_t bytes) {
  return bytes >= 10'000'000 ? std::to_string(bytes / 1'000'000) + " MB"
                             : std::to_string(bytes / 1'000) + " kB";
}

}  // namespace

Timeline::Sized Timeline::size_of(const TimelinePlan& plan, uint64_t limit) {
  MeasuringSink sink(limit);
  Sized sized;
  try {
    sized.counts = write_text(plan, Dialect::Viewer, sink, {});
    sized.fits = true;
  } catch (const TooMuch&) {
  }
  sized.bytes = sink.bytes;
  return sized;
}

TimelinePlan Timeline::plan(const TimelineWish& wish) {
  TimelinePlan plan;
  plan.summary = plan.details =
      select(in_.recording, in_.analysis, in_.clock, wish.window, wish.device);
  plan.window_text = wish.window_text;
  if (wish.device) {
    if (!plan.window_text.empty()) plan.window_text += ", ";
    plan.window_text += "device " + std::to_string(*wish.device);
  }
  const Sized all = wish.max_bytes == 0 ? Sized{} : size_of(plan, wish.max_bytes);
  if (wish.max_bytes == 0 || all.fits) return plan;
  const uint64_t limit = wish.max_bytes > kHeaderRoom ? wish.max_bytes - kHeaderRoom : 0;
  TimelinePlan reduced = plan;
  reduced.details.whole = false;
  reduced.details.intervals.clear();
  for (uint64_t room = limit / 3;; room /= 2) {
    shrink_summary(reduced, room);
    if (size_of(reduced, limit).fits) break;
    if (room < 1000)
      fail("not even the causes fit into --max-size " + size_text(wish.max_bytes) +
           "; give more, or a --window");
  }
  fit_details(reduced, limit);
  const Sized written = size_of(reduced, limit);
  reduced.left_out.push_back(
      what_is_left_out(reduced, written.counts, all_rows(plan.details), wish.max_bytes));
  if (written.counts.grouped_gaps > 0)
    reduced.left_out.push_back(std::to_string(written.counts.grouped_gaps) + " gaps shorter than " +
                               duration(static_cast<double>(reduced.summary.shortest_gap)) +
                               " are drawn in groups, with their idle time by cause");
  return reduced;
}

void Timeline::shrink_summary(TimelinePlan& plan, uint64_t bytes) const {
  const Analysis& a = in_.analysis;
  const uint64_t slices = bytes / kBytesPerSlice / 2;
  if (a.slices.size() > slices) {  // half of the rows for the longest gaps, half for groups
    std::vector<int64_t> lengths;
    for (size_t s = 0; s < a.slices.size(); ++s)
      lengths.push_back(a.gaps.end[a.slices.gap[s]] - a.gaps.start[a.slices.gap[s]]);
    const auto at = lengths.begin() + static_cast<ptrdiff_t>(slices);
    std::nth_element(lengths.begin(), at, lengths.end(), std::greater<>());
    plan.summary.shortest_gap = *at + 1;
  }
  size_t steps = 0;
  for (const Steps& s : a.steps) steps += s.count();
  const uint64_t steps_fit = std::max<uint64_t>(1, bytes / kBytesPerStep / 4);
  plan.summary.step_group = std::max<size_t>(1, (steps + steps_fit - 1) / steps_fit);
}

// More gaps until they no longer fit; each try ends when the limit is passed.
void Timeline::fit_details(TimelinePlan& plan, uint64_t limit) {
  size_t fitting = 0, count = 64, too_many = in_.analysis.gaps.size() + 1;
  std::vector<Interval> best;
  for (int i = 0; i < kTries && fitting + fitting / 20 + 1 < too_many; ++i) {
    count = std::min(count, too_many - 1);
    plan.details.intervals = longest_gaps(in_.analysis, in_.clock, plan.details, count);
    if (!plan.summary.whole)
      plan.details.intervals = common(plan.details.intervals, plan.summary.intervals);
    if (size_of(plan, limit).fits) {
      fitting = count;
      best = plan.details.intervals;
      count = too_many > in_.analysis.gaps.size() ? count * 8 : (fitting + too_many) / 2;
    } else {
      too_many = count;
      count = fitting == 0 ? count / 8 : (fitting + too_many) / 2;
      if (count == 0) break;
    }
  }
  plan.details.intervals = std::move(best);
}

RowCounts Timeline::all_rows(const Selection& selection) const {
  RowCounts all;
  const Recording& r = in_.recording;
  InSelection device_rows(selection);
  DeviceIndex device = kNone<DeviceIndex>;
  for (size_t i = 0; i < r.activities.size(); ++i) {
    if (r.device_of(i) != device) {
      device = r.device_of(i);
      device_rows = InSelection(selection);
    }
    all.activities += selection.devices[raw(device)] &&
                      device_rows.overlaps(in_.clock.device(device, r.activities.start[i]),
                                           in_.clock.device(device, r.activities.end[i]));
  }
  const auto count = [&](const auto& table, uint64_t& rows) {
    InSelection selected(selection);
    ThreadIndex thread = kNone<ThreadIndex>;
    for (size_t i = 0; i < table.size(); ++i) {
      if (table.thread[i] != thread) {
        thread = table.thread[i];
        selected = InSelection(selection);
      }
      const ProcessIndex process = r.threads[raw(thread)].process;
      rows += selection.processes[raw(process)] &&
              selected.overlaps(in_.clock.host(process, table.start[i]),
                                in_.clock.host(process, table.end[i]));
    }
  };
  count(r.calls, all.calls);
  count(r.waits, all.waits);
  count(r.ranges, all.ranges);
  return all;
}

std::string Timeline::what_is_left_out(const TimelinePlan& plan, const RowCounts& written,
                                       const RowCounts& all, uint64_t limit) const {
  const auto part = [](uint64_t there, uint64_t of, const char* what) {
    return std::to_string(of - std::min(of, there)) + " of " + std::to_string(of) + " " + what;
  };
  const Gaps& gaps = in_.analysis.gaps;
  int64_t idle = 0, shown = 0;
  InSelection selected(plan.details);
  DeviceIndex device = kNone<DeviceIndex>;
  for (size_t g = 0; g < gaps.size(); ++g) {
    if (gaps.device[g] != device) {
      device = gaps.device[g];
      selected = InSelection(plan.details);
    }
    if (!plan.details.devices[raw(device)]) continue;
    const int64_t from = in_.clock.device(device, gaps.start[g]);
    const int64_t to = in_.clock.device(device, gaps.end[g]);
    idle += to - from;
    if (selected.overlaps(from, to)) shown += to - from;
  }
  return "to stay below " + size_text(limit) + " only the longest gaps, " +
         std::to_string(idle > 0 ? static_cast<int>(100.0 * static_cast<double>(shown) /
                                                    static_cast<double>(idle))
                                 : 100) +
         " % of the idle time, are shown with what happened around them; left out: " +
         part(written.activities, all.activities, "device activities") + ", " +
         part(written.calls, all.calls, "CUDA calls") + ", " +
         part(written.waits, all.waits, "waits") + ", " +
         part(written.ranges, all.ranges, "ranges") + "; all causes and steps are there";
}

std::vector<std::pair<ProcessIndex, TimelinePlan>> Timeline::plans_of_ranks(
    std::optional<uint32_t> device) {
  const Recording& r = in_.recording;
  const Selection wanted = select(r, in_.analysis, in_.clock, {}, device);
  std::vector<std::pair<ProcessIndex, TimelinePlan>> plans;
  for (uint32_t p = 0; p < r.processes.size(); ++p) {
    Selection own = wanted;
    own.devices.assign(r.devices.size(), false);
    own.processes.assign(r.processes.size(), false);
    own.processes[p] = true;
    bool works = false;
    for (const Queue& queue : r.queues) {
      if (raw(queue.process) != p || !wanted.devices[raw(queue.device)]) continue;
      own.devices[raw(queue.device)] = works = true;
    }
    if (works) plans.push_back({ProcessIndex{p}, {own, own, {}, {}}});
  }
  return plans;
}

}  // namespace gpustall::cli
