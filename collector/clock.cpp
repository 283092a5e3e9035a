// DeviceClock: device nanoseconds to host nanoseconds, piecewise linear between the readings.
#include <algorithm>
#include <cstdint>

#include "collector/recording.h"

namespace gpustall::collect {
namespace {

using Wide = __int128;  // readings of a damaged trace may lie anywhere in 64 bits

// Integer all the way: a double has lost the nanosecond of a realtime clock.
Wide interpolate(Wide x, Wide x0, Wide x1, Wide y0, Wide y1) {
  if (x1 == x0) return y0 + (x - x0);
  // Both factors have up to 64 bits and a sign: one bit too many together, so damaged distances
  // (a year is 2^55 ns) are scaled down first.
  constexpr Wide kFar = Wide{1} << 62;
  Wide run = x - x0, rise = y1 - y0, whole = x1 - x0;
  if (rise >= kFar || whole >= kFar) rise /= 4, whole /= 4;
  // Nearly always; a division of 128 bits costs several times as much.
  int64_t product = 0;
  const auto fits = [](Wide value) { return value == static_cast<int64_t>(value); };
  if (fits(run) && fits(rise) && fits(whole) && whole > 0 &&
      !__builtin_mul_overflow(static_cast<int64_t>(run), static_cast<int64_t>(rise), &product))
    return y0 + product / static_cast<int64_t>(whole);
  return y0 + run * rise / whole;
}

TraceTime narrow(Wide ns) {
  return static_cast<TraceTime>(std::clamp<Wide>(ns, INT64_MIN, INT64_MAX));
}

// The first reading beyond t, of two or more in order. They come at nearly equal distances, so that
// it lies where its share of the time says, or next to it.
size_t first_above(const std::vector<TraceTime>& readings, TraceTime t) {
  if (t < readings.front()) return 0;
  if (t >= readings.back()) return readings.size();
  // Differences first: as doubles neighbours may be equal.
  const auto from_first = [&](TraceTime time) {
    return double(static_cast<uint64_t>(time) - static_cast<uint64_t>(readings.front()));
  };
  const double share = from_first(t) / from_first(readings.back()) * double(readings.size() - 1);
  size_t i = std::clamp<size_t>(static_cast<size_t>(share) + 1, 1, readings.size() - 1);
  while (readings[i] <= t) ++i;
  while (readings[i - 1] > t) --i;
  return i;
}

// The same as interpolate() between readings less than 2 s apart.
bool interpolate_near(TraceTime x, TraceTime x0, TraceTime x1, TraceTime y0, TraceTime y1,
                      TraceTime& y) {
  constexpr uint64_t kNear = uint64_t{1} << 31;
  const auto distance = [](TraceTime to, TraceTime from) {
    return static_cast<uint64_t>(to) - static_cast<uint64_t>(from);
  };
  const uint64_t run = distance(x, x0), whole = distance(x1, x0), rise = distance(y1, y0);
  if (run >= kNear || whole >= kNear || rise >= kNear || whole == 0) return false;
  return !__builtin_add_overflow(y0, static_cast<int64_t>(run * rise / whole), &y);
}

}  // namespace

TraceTime DeviceClock::to_host(TraceTime t) const {
  if (device_ns.empty()) return t;
  if (device_ns.size() == 1) return narrow(Wide{t} + host_ns[0] - device_ns[0]);
  const size_t i = first_above(device_ns, t);
  if (i > 0 && i < device_ns.size()) {
    const TraceTime x0 = device_ns[i - 1], x1 = device_ns[i], y0 = host_ns[i - 1], y1 = host_ns[i];
    TraceTime near = 0;
    if (interpolate_near(t, x0, x1, y0, y1, near)) return near;
    return narrow(interpolate(t, x0, x1, y0, y1));
  }
  // Outside the readings the slope of all of them holds: that of two neighbours is mostly noise.
  const size_t end = i == 0 ? 0 : device_ns.size() - 1;
  return narrow(host_ns[end] + interpolate(Wide{t} - device_ns[end], 0,
                                           Wide{device_ns.back()} - device_ns.front(), 0,
                                           Wide{host_ns.back()} - host_ns.front()));
}

}  // namespace gpustall::collect
