#include "collector/read/host_clock.h"

#include <algorithm>

#include "libinterpose/trace/records.h"

namespace gpustall::collect {
namespace {

constexpr double kSlowest = 1.0 / 64, kFastest = 64;  // ns per tick of any clock worth trusting

double slope(const ClockReading& a, const ClockReading& b) {
  return static_cast<double>(b.monotonic_ns - a.monotonic_ns) /
         static_cast<double>(b.ticks - a.ticks);
}

// Damaged readings may be anything; no arithmetic on them before this.
bool follows(const ClockReading& a, const ClockReading& b) {
  int64_t ticks = 0, ns = 0;
  if (__builtin_sub_overflow(b.ticks, a.ticks, &ticks) || ticks <= 0) return false;
  if (__builtin_sub_overflow(b.monotonic_ns, a.monotonic_ns, &ns) || ns <= 0) return false;
  const double rate = slope(a, b);
  return rate > kSlowest && rate < kFastest;
}

}  // namespace

HostClock::HostClock(std::vector<ClockReading> readings, TickRate of_host) {
  // In the order of the file, the header's start first: it is the anchor.
  std::stable_sort(readings.begin() + (readings.empty() ? 0 : 1), readings.end(),
                   [](const auto& a, const auto& b) { return a.ticks < b.ticks; });
  std::vector<ClockReading> good;
  for (const ClockReading& r : readings) {
    const bool same = !good.empty() && r.ticks == good.back().ticks;
    // Against the first as well: the span of all readings must fit too.
    if (good.empty() || (follows(good.back(), r) && follows(good.front(), r)))
      good.push_back(r);
    else if (!same)
      ++dropped_;
  }
  if (good.empty()) return;
  if (good.size() > 1)
    rate_ = {slope(good.front(), good.back()), good.back().ticks - good.front().ticks};
  const auto fixed = [](double rate) {
    return static_cast<int64_t>(rate * static_cast<double>(int64_t{1} << kShift));
  };
  for (size_t i = 0; i + 1 < good.size(); ++i) {
    const __int128 rise = static_cast<__int128>(good[i + 1].monotonic_ns - good[i].monotonic_ns)
                          << kShift;
    segments_.push_back({good[i].ticks, good[i].monotonic_ns,
                         static_cast<int64_t>(rise / (good[i + 1].ticks - good[i].ticks))});
  }
  // Beyond the last reading a mean rate holds, the one that was measured the longest.
  const TickRate& best = rate_.ticks >= of_host.ticks ? rate_ : of_host;
  segments_.push_back({good.back().ticks, good.back().monotonic_ns, fixed(best.ns_per_tick)});
  find(segments_.front().ticks);
}

TraceTime HostClock::at(int64_t ticks) const {
  const __int128 run = static_cast<__int128>(ticks) - now_.ticks;
  const __int128 ns = ((run * now_.scale + kHalf) >> kShift) + now_.ns;
  return static_cast<TraceTime>(std::clamp<__int128>(ns, INT64_MIN, INT64_MAX));
}

void HostClock::find(int64_t ticks) {
  if (segments_.empty()) return;
  auto next = std::upper_bound(segments_.begin(), segments_.end(), ticks,
                               [](int64_t t, const Segment& s) { return t < s.ticks; });
  const bool first = next == segments_.begin();
  if (first) ++next;
  now_ = *(next - 1);
  from_ = next - 1 == segments_.begin() ? INT64_MIN : now_.ticks;
  until_ = next == segments_.end() ? INT64_MAX : next->ticks;
}

void HostClock::shift(int64_t ns) {
  for (Segment& s : segments_) s.ns = trace::detail::add(s.ns, ns);
  now_.ns = trace::detail::add(now_.ns, ns);
}

}  // namespace gpustall::collect
