// The clocks of one file: host ticks to CLOCK_MONOTONIC, device nanoseconds to host nanoseconds,
// and the ranges outside which a time can only be damage.
#pragma once
#include "collector/read/events.h"
#include "collector/read/scan.h"

namespace gpustall::collect {

struct FileClocks {
  HostClock host;
  DeviceClock device;
  bool device_assumed = false;  // no reading in the file: CUPTI's wall clock was taken for it
  TimeRange host_range, device_range;
};

FileClocks make_clocks(const TraceFile& file, const FileScan& scan, TickRate of_host);

// Puts the file's host times onto another host's CLOCK_MONOTONIC.
void shift_host(FileClocks& clocks, int64_t ns);

}  // namespace gpustall::collect
