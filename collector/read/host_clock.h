// Host ticks of one file to nanoseconds: piecewise linear through the file's clock readings.
// Monotone: of two stamps the later one never gets the smaller time.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "collector/ids.h"

namespace gpustall::collect {

struct ClockReading {
  int64_t ticks = 0;
  TraceTime monotonic_ns = 0, realtime_ns = 0;
};

class HostClock {
 public:
  // The identity, for files whose ticks are nanoseconds.
  HostClock() = default;
  // Readings that contradict the ones before are left out. `fallback_rate` (ns per tick) serves
  // when there is only one reading.
  HostClock(std::vector<ClockReading> readings, double fallback_rate);

  TraceTime to_ns(int64_t ticks) {
    if (ticks < from_ || ticks >= until_) find(ticks);
    return at(ticks);
  }
  void shift(int64_t ns);

  size_t dropped() const { return dropped_; }
  // ns per tick over all readings; 0 when there is only one.
  double rate() const { return rate_; }

 private:
  struct Segment {
    int64_t ticks;
    TraceTime ns;
    int64_t scale;  // ns per tick, times 2^kShift
  };
  static constexpr int kShift = 48;
  static constexpr int64_t kHalf = int64_t{1} << (kShift - 1);

  TraceTime at(int64_t ticks) const;
  void find(int64_t ticks);

  std::vector<Segment> segments_;  // each holds from its ticks on, the first one from -infinity
  Segment now_{0, 0, int64_t{1} << kShift};
  int64_t from_ = INT64_MIN, until_ = INT64_MAX;
  size_t dropped_ = 0;
  double rate_ = 0;
};

}  // namespace gpustall::collect
