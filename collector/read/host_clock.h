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

// ns per tick, and how many ticks it was measured over; 0: not measured.
struct TickRate {
  double ns_per_tick = 1;
  int64_t ticks = 0;
};

class HostClock {
 public:
  // The identity, for files whose ticks are nanoseconds.
  HostClock() = default;
  // Readings that contradict the ones before are left out. `of_host`: the best rate of any process
  // of the host. A killed worker has two readings within 100 us of its start: carried over a
  // minute, their noise alone would be milliseconds.
  HostClock(std::vector<ClockReading> readings, TickRate of_host);

  TraceTime to_ns(int64_t ticks) {
    if (ticks < from_ || ticks >= until_) find(ticks);
    return at(ticks);
  }
  void shift(int64_t ns);

  size_t dropped() const { return dropped_; }
  // Over all readings.
  TickRate rate() const { return rate_; }

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
  TickRate rate_;
};

}  // namespace gpustall::collect
