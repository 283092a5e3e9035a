// DeviceClock: device nanoseconds to host nanoseconds, piecewise linear between the readings.
#include <algorithm>

#include "collector/recording.h"

namespace gpustall::collect {
namespace {

// Integer all the way: a double has lost the nanosecond of a realtime clock.
TraceTime interpolate(TraceTime x, TraceTime x0, TraceTime x1, TraceTime y0, TraceTime y1) {
  if (x1 == x0) return y0 + (x - x0);
  const auto scaled = static_cast<__int128>(x - x0) * (y1 - y0) / (x1 - x0);
  return y0 + static_cast<TraceTime>(scaled);
}

}  // namespace

TraceTime DeviceClock::to_host(TraceTime t) const {
  if (device_ns.empty()) return t;
  if (device_ns.size() == 1) return t + (host_ns[0] - device_ns[0]);
  const auto above = std::upper_bound(device_ns.begin(), device_ns.end(), t);
  const auto i = static_cast<size_t>(above - device_ns.begin());
  if (i > 0 && i < device_ns.size())
    return interpolate(t, device_ns[i - 1], device_ns[i], host_ns[i - 1], host_ns[i]);
  // Outside the readings the slope of all of them holds: that of two neighbours is mostly noise.
  const size_t end = i == 0 ? 0 : device_ns.size() - 1;
  return host_ns[end] + interpolate(t - device_ns[end], 0, device_ns.back() - device_ns.front(), 0,
                                    host_ns.back() - host_ns.front());
}

}  // namespace gpustall::collect
