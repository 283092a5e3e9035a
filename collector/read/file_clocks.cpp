#include "collector/read/file_clocks.h"

#include <algorithm>

namespace gpustall::collect {
namespace {

constexpr int64_t kDay = int64_t{86400} * 1'000'000'000;

// Before the first reading only the time between the constructor and the file's header can lie;
// behind the last one up to a whole period of readings, or much of a run whose helper died.
TimeRange around(int64_t first, int64_t last) {
  TimeRange range;
  if (__builtin_sub_overflow(first, kDay, &range.from)) range.from = INT64_MIN;
  if (__builtin_add_overflow(last, 7 * kDay, &range.until)) range.until = INT64_MAX;
  return range;
}

// A wall clock may be set back: such readings contradict the ones before and are left out.
void add_reading(DeviceClock& clock, int64_t device_ns, TraceTime host_ns) {
  if (!clock.device_ns.empty()) {
    int64_t run = 0, rise = 0;
    if (__builtin_sub_overflow(device_ns, clock.device_ns.back(), &run) || run <= 0) return;
    if (__builtin_sub_overflow(host_ns, clock.host_ns.back(), &rise) || rise <= 0) return;
    if (run / 64 > rise || rise / 64 > run) return;
  }
  clock.device_ns.push_back(device_ns);
  clock.host_ns.push_back(host_ns);
}

void read_device_clock(FileClocks& c, const FileScan& scan) {
  std::vector<DeviceReading> readings = scan.device_clocks;
  std::sort(readings.begin(), readings.end(),
            [](const auto& a, const auto& b) { return a.device_ns < b.device_ns; });
  for (const DeviceReading& r : readings) {
    const TraceTime host_ns = c.host.to_ns(r.ticks);
    if (!c.host_range.holds(host_ns)) continue;
    add_reading(c.device, r.device_ns, host_ns);
    c.device.error_ns =
        std::max(c.device.error_ns, static_cast<int64_t>(std::min<uint64_t>(r.error_ns, kDay)));
  }
  if (!readings.empty())
    c.device_range = around(readings.front().device_ns, readings.back().device_ns);
}

}  // namespace

FileClocks make_clocks(const TraceFile& file, const FileScan& scan, TickRate of_host) {
  FileClocks c;
  const bool tsc = file.header.clock_kind == static_cast<uint8_t>(trace::ClockKind::Tsc);
  if (tsc) c.host = HostClock(scan.clocks, of_host);
  TraceTime last = file.header.start_monotonic_ns;
  for (const ClockReading& r : scan.clocks) {
    const TraceTime ns = c.host.to_ns(r.ticks);
    const auto apart =
        static_cast<__int128>(ns) - r.monotonic_ns;  // damaged readings can be anything
    if (-kDay < apart && apart < kDay) last = std::max(last, ns);
  }
  c.host_range = around(file.header.start_monotonic_ns, last);
  read_device_clock(c, scan);
  const bool has_device_work = scan.events(trace::Tag::Kernel) + scan.events(trace::Tag::Memcpy) +
                                   scan.events(trace::Tag::Memset) +
                                   scan.events(trace::Tag::GraphRun) !=
                               0;
  if (c.device.device_ns.empty() && has_device_work) {
    // CUPTI's default clock is CLOCK_REALTIME.
    c.device_assumed = true;
    add_reading(c.device, file.header.start_realtime_ns, file.header.start_monotonic_ns);
  }
  return c;
}

void shift_host(FileClocks& c, int64_t ns) {
  c.host.shift(ns);
  c.host_range.from = trace::detail::add(c.host_range.from, ns);
  c.host_range.until = trace::detail::add(c.host_range.until, ns);
  for (TraceTime& t : c.device.host_ns) t = trace::detail::add(t, ns);
}

}  // namespace gpustall::collect
