#include "viewer-cli/export/selection.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "viewer-cli/command.h"

namespace gpustall::cli {

namespace {

using collect::Analysis;
using collect::Recording;

constexpr int64_t kAround = 2'000'000;  // ns that are shown on both sides of a gap

// "2", "1.5s", "300ms", "20us", "7ns"; seconds without a unit. Exact, not through a double.
std::optional<int64_t> parse_time(std::string_view text) {
  const size_t unit = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view name = text.substr(unit);
  int digits = name.empty() || name == "s" ? 9 : name == "ms" ? 6 : name == "us" ? 3 : 0;
  if (digits == 0 && name != "ns") return {};
  int64_t value = 0;
  bool any = false, fraction = false;
  for (const char c : text.substr(0, unit)) {
    if (c == '.') {
      if (fraction) return {};
      fraction = true;
      continue;
    }
    any = true;
    if (fraction && digits == 0) continue;  // below a nanosecond
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, c - '0', &value))
      return {};
    digits -= fraction;
  }
  for (; digits > 0; --digits)
    if (__builtin_mul_overflow(value, 10, &value)) return {};
  return any ? std::optional(value) : std::nullopt;
}

std::optional<int64_t> parse_whole(std::string_view text) {
  if (text.empty() || text.size() > 15 || text.find_first_not_of("0123456789") != text.npos)
    return {};
  return std::strtoll(std::string(text).c_str(), nullptr, 10);
}

void merge(std::vector<Interval>& intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.start < b.start; });
  std::vector<Interval> merged;
  for (const Interval& next : intervals) {
    if (!merged.empty() && next.start <= merged.back().end)
      merged.back().end = std::max(merged.back().end, next.end);
    else
      merged.push_back(next);
  }
  intervals = std::move(merged);
}

void select_devices(const Recording& r, std::optional<uint32_t> ordinal, Selection& s) {
  s.devices.assign(r.devices.size(), !ordinal);
  s.processes.assign(r.processes.size(), !ordinal);
  if (!ordinal) return;
  for (size_t d = 0; d < r.devices.size(); ++d) s.devices[d] = r.devices[d].ordinal == *ordinal;
  if (std::find(s.devices.begin(), s.devices.end(), true) == s.devices.end())
    fail("no device " + std::to_string(*ordinal) +
         " in this recording; gpustall report lists them");
  for (const collect::Queue& queue : r.queues)
    if (s.devices[raw(queue.device)]) s.processes[raw(queue.process)] = true;
  for (size_t p = 0; p < r.processes.size(); ++p)  // and their workers; parents come first
    for (size_t parent = 0; parent < r.processes.size(); ++parent)
      if (s.processes[parent] && r.processes[p].parent_pid == r.processes[parent].pid &&
          r.processes[p].host == r.processes[parent].host)
        s.processes[p] = true;
}

// On the host and, later, on the device.
void select_steps(const Recording& r, const Analysis& a, const ExportClock& clock,
                  const WindowWish& wish, Selection& s) {
  size_t most = 0;
  for (const collect::Steps& steps : a.steps) {
    most = std::max(most, steps.count());
    if (!s.processes[raw(steps.process)] || wish.from < 1 ||
        wish.from > static_cast<int64_t>(steps.count()))
      continue;
    const auto first = static_cast<size_t>(wish.from) - 1;
    const auto last =
        static_cast<size_t>(std::min<int64_t>(wish.to, static_cast<int64_t>(steps.count())));
    Interval all{clock.host(steps.process, steps.boundary[first]),
                 clock.host(steps.process, steps.boundary[last])};
    for (const collect::Queue& queue : r.queues) {
      if (queue.process != steps.process) continue;
      all.start = std::min(all.start, clock.device(queue.device, steps.device_boundary[first]));
      all.end = std::max(all.end, clock.device(queue.device, steps.device_boundary[last]));
    }
    s.intervals.push_back(all);
  }
  if (s.intervals.empty())
    fail(most == 0 ? "no steps were found in this recording; give --window in seconds"
                   : "no such steps; this recording has steps 1 to " + std::to_string(most));
}

}  // namespace

std::optional<WindowWish> parse_window(const std::string& text) {
  WindowWish wish;
  const auto range = [&](std::string_view both, auto parse) {
    const size_t colon = both.find(':');
    if (colon == std::string_view::npos) return false;
    const auto from = parse(both.substr(0, colon)), to = parse(both.substr(colon + 1));
    if (!from || !to) return false;
    wish.from = *from;
    wish.to = *to;
    return true;
  };
  if (text.starts_with("worst:")) {
    const auto count = parse_whole(std::string_view(text).substr(6));
    if (!count || *count < 1) return {};
    wish.kind = WindowWish::Kind::Worst;
    wish.from = *count;
    return wish;
  }
  if (text.starts_with("steps:")) {
    wish.kind = WindowWish::Kind::Steps;
    if (!range(std::string_view(text).substr(6), parse_whole) || wish.to < wish.from) return {};
    return wish;
  }
  wish.kind = WindowWish::Kind::Time;
  if (!range(text, parse_time) || wish.to <= wish.from) return {};
  return wish;
}

std::vector<Interval> longest_gaps(const Analysis& a, const ExportClock& clock,
                                   const Selection& selection, size_t count) {
  std::vector<uint32_t> gaps;
  for (uint32_t g = 0; g < a.gaps.size(); ++g)
    if (selection.devices[raw(a.gaps.device[g])]) gaps.push_back(g);
  count = std::min(count, gaps.size());
  const auto longer = [&](uint32_t x, uint32_t y) {
    const int64_t nx = a.gaps.end[x] - a.gaps.start[x], ny = a.gaps.end[y] - a.gaps.start[y];
    return nx != ny ? nx > ny : x < y;
  };
  std::nth_element(gaps.begin(), gaps.begin() + static_cast<ptrdiff_t>(count), gaps.end(), longer);
  std::vector<Interval> intervals;
  for (size_t i = 0; i < count; ++i) {
    const uint32_t g = gaps[i];
    intervals.push_back({clock.device(a.gaps.device[g], a.gaps.start[g]) - kAround,
                         clock.device(a.gaps.device[g], a.gaps.end[g]) + kAround});
  }
  merge(intervals);
  return intervals;
}

Selection select(const Recording& r, const Analysis& a, const ExportClock& clock,
                 const WindowWish& wish, std::optional<uint32_t> device) {
  Selection s;
  select_devices(r, device, s);
  s.whole = wish.kind == WindowWish::Kind::Whole;
  switch (wish.kind) {
    case WindowWish::Kind::Whole:
      return s;
    case WindowWish::Kind::Time:
      if (wish.from >= clock.last())
        fail("nothing was recorded that late; the timeline ends after " +
             std::to_string(clock.last() / 1'000'000) + " ms");
      s.intervals.push_back({wish.from, wish.to});
      break;
    case WindowWish::Kind::Steps:
      select_steps(r, a, clock, wish, s);
      break;
    case WindowWish::Kind::Worst:
      s.intervals = longest_gaps(a, clock, s, static_cast<size_t>(wish.from));
      if (s.intervals.empty()) fail("no gaps: the device is never idle; leave --window out");
      break;
  }
  merge(s.intervals);
  return s;
}

}  // namespace gpustall::cli
