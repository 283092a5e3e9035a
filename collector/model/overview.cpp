#include "collector/model/overview.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "collector/model/gap_lengths.h"
#include "collector/model/idle_tree.h"

namespace gpustall::collect {
namespace {

constexpr int64_t kMostIntervals = 1000;
constexpr size_t kMostGaps = 200, kMostParts = 24;

class Timeline {
 public:
  Timeline(const DeviceTimeline& line, Overview& out) : line_(line), out_(out) {
    out.interval_ns = std::max<int64_t>(1, (line.span_ns() + kMostIntervals - 1) / kMostIntervals);
    count_ = static_cast<size_t>((line.span_ns() + out.interval_ns - 1) / out.interval_ns);
    for (size_t i = 0; i < count_; ++i)
      out.busy_ns.push_back(std::min(out.interval_ns, line.span_ns() - edge(i)));
  }

  void add(Cause cause, TraceTime start, TraceTime end) {
    std::vector<int64_t>& ns = by_cause_[static_cast<size_t>(cause)];
    if (ns.empty()) ns.resize(count_);
    int64_t from = start - line_.first;
    const int64_t until = end - line_.first;
    if (from < edge(at_)) at_ = 0;
    while (from < until) {
      while (edge(at_ + 1) <= from) ++at_;
      const int64_t next = std::min(until, edge(at_ + 1));
      ns[at_] += next - from;
      out_.busy_ns[at_] -= next - from;
      from = next;
    }
  }

  void finish() {
    for (size_t cause = 0; cause < kCauseCount; ++cause)
      if (!by_cause_[cause].empty())
        out_.idle.push_back({static_cast<Cause>(cause), std::move(by_cause_[cause])});
    const auto sum = [](const IdleSeries& s) {
      return std::accumulate(s.ns.begin(), s.ns.end(), int64_t{0});
    };
    std::stable_sort(out_.idle.begin(), out_.idle.end(),
                     [&](const IdleSeries& a, const IdleSeries& b) { return sum(a) > sum(b); });
  }

 private:
  int64_t edge(size_t i) const { return static_cast<int64_t>(i) * out_.interval_ns; }
  const DeviceTimeline& line_;
  Overview& out_;
  size_t count_ = 0, at_ = 0;  // intervals; where the last slice ended: they come in order
  std::array<std::vector<int64_t>, kCauseCount> by_cause_;
};

std::string work_name(const Recording& r, uint32_t activity) {
  if (activity >= r.activities.size()) return {};
  const std::string_view name = r.text(r.activities.name[activity]);
  if (!name.empty()) return std::string(name);
  static constexpr const char* kKinds[] = {"kernel", "copy", "fill", "graph"};
  return kKinds[static_cast<size_t>(r.activities.kind[activity])];
}

// The slices of a gap in the order of time, neighbours of one cause and site as one.
std::vector<GapPart> parts_in_order(const Analysis& a, uint32_t gap, FrameTexts& frames) {
  std::vector<GapPart> parts;
  for (uint32_t s = a.gaps.first_slice[gap]; s < a.gaps.first_slice[gap + 1]; ++s) {
    const GapPart part{a.slices.cause[s], frames.of_site(a, a.slices.site[s]),
                       a.slices.end[s] - a.slices.start[s]};
    if (!parts.empty() && parts.back().cause == part.cause && parts.back().frame == part.frame)
      parts.back().ns += part.ns;
    else
      parts.push_back(part);
  }
  return parts;
}

// Of the part that takes most of the gap: the stack of its longest slice that has one.
std::vector<uint32_t> stack_of(const Analysis& a, uint32_t gap, FrameTexts& frames) {
  std::map<std::pair<Cause, SiteId>, int64_t> sums;
  const uint32_t first = a.gaps.first_slice[gap], end = a.gaps.first_slice[gap + 1];
  const auto length = [&](uint32_t s) { return a.slices.end[s] - a.slices.start[s]; };
  for (uint32_t s = first; s < end; ++s) sums[{a.slices.cause[s], a.slices.site[s]}] += length(s);
  if (sums.empty()) return {};
  const auto largest = std::max_element(
      sums.begin(), sums.end(), [](const auto& x, const auto& y) { return x.second < y.second; });
  uint32_t found = end;
  for (uint32_t s = first; s < end; ++s) {
    if (std::pair(a.slices.cause[s], a.slices.site[s]) != largest->first) continue;
    if (a.slices.stack[s] == kNone<StackId>) continue;
    if (found == end || length(s) > length(found)) found = s;
  }
  if (found == end) return {};
  return frames.whole_stack(a.slices.stack[found], kMostStackFrames);
}

void sum_parts(LongGap& gap) {
  std::map<std::pair<Cause, uint32_t>, int64_t> sums;
  for (const GapPart& part : gap.parts) sums[{part.cause, part.frame}] += part.ns;
  gap.parts.clear();
  for (const auto& [key, ns] : sums) gap.parts.push_back({key.first, key.second, ns});
  std::stable_sort(gap.parts.begin(), gap.parts.end(),
                   [](const GapPart& a, const GapPart& b) { return a.ns > b.ns; });
  gap.in_time_order = false;
  while (gap.parts.size() > kMostParts) {
    gap.rest_ns += gap.parts.back().ns;
    gap.parts.pop_back();
  }
}

int64_t step_at(const Steps* steps, TraceTime time) {
  if (steps == nullptr || steps->count() == 0) return -1;
  const auto& edge = steps->device_boundary;
  if (time < edge.front() || time >= edge.back()) return -1;
  return std::upper_bound(edge.begin(), edge.end(), time) - edge.begin() - 1;
}

std::vector<uint32_t> longest_gaps(const Gaps& gaps, DeviceIndex device) {
  std::vector<uint32_t> found;
  for (uint32_t g = 0; g < gaps.size(); ++g)
    if (gaps.device[g] == device) found.push_back(g);
  const auto length = [&](uint32_t g) { return gaps.end[g] - gaps.start[g]; };
  const auto shown = found.begin() + static_cast<long>(std::min(found.size(), kMostGaps));
  std::partial_sort(found.begin(), shown, found.end(), [&](uint32_t a, uint32_t b) {
    return length(a) != length(b) ? length(a) > length(b) : a < b;
  });
  found.erase(shown, found.end());
  return found;
}

}  // namespace

Overview overview_of(const Recording& r, const Analysis& a, size_t timeline, const Steps* steps) {
  const DeviceTimeline& line = a.timelines[timeline];
  Overview out;
  FrameTexts frames(r, out);
  Timeline intervals(line, out);
  for (size_t s = 0; s < a.slices.size(); ++s)
    if (a.gaps.device[a.slices.gap[s]] == line.device)
      intervals.add(a.slices.cause[s], a.slices.start[s], a.slices.end[s]);
  intervals.finish();
  out.tree = idle_tree(r, a, line.device, frames);
  out.lengths = gap_lengths(a, line.device);
  for (const uint32_t g : longest_gaps(a.gaps, line.device)) {
    LongGap gap;
    gap.start_ns = a.gaps.start[g] - line.first;
    gap.ns = a.gaps.end[g] - a.gaps.start[g];
    gap.step = step_at(steps, a.gaps.start[g]);
    gap.before = work_name(r, a.gaps.closing[g]);
    gap.parts = parts_in_order(a, g, frames);
    if (gap.parts.size() > kMostParts) sum_parts(gap);
    gap.stack = stack_of(a, g, frames);
    out.longest.push_back(std::move(gap));
  }
  return out;
}

}  // namespace gpustall::collect
