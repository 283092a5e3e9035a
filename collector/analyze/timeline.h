// Device timelines: the union of a device's activities over all its streams, its gaps, and busy
// time split into compute, exposed copies and exposed collectives. Exact integers in the device's
// own clock; busy + gaps = span, always.
#pragma once
#include "collector/analysis.h"

namespace gpustall::collect {

// The owner of exposed busy time, before causes are known.
struct ExposedStretch {
  uint32_t activity;
  TraceTime start, end;
  bool collective;
};

struct Timelines {
  std::vector<DeviceTimeline> devices;  // devices with activities, in order of DeviceIndex
  std::vector<uint32_t> first_gap;      // by entry of `devices`; size + 1
  std::vector<uint32_t> first_activity;
  Gaps gaps;                            // first_slice stays empty here
  std::vector<uint32_t> next_work;      // by gap: the first kernel or graph at or after its end
  std::vector<ExposedStretch> exposed;  // by (device, start)
  std::vector<int64_t> idle_before;     // by gap: idle ns of its device before the gap
};

Timelines build_timelines(const Recording& recording);

// Busy nanoseconds of one device in any interval, by a search in its gaps.
class BusyIn {
 public:
  BusyIn(const Timelines& timelines, size_t device) : t_(&timelines), device_(device) {}
  int64_t between(TraceTime start, TraceTime end) const {
    return end <= start ? 0 : before(end) - before(start);
  }

 private:
  int64_t before(TraceTime time) const;
  const Timelines* t_;
  size_t device_;
};

}  // namespace gpustall::collect
