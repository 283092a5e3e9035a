// One clock for a whole timeline: nanoseconds since shortly before the first event.
//
// A device's own times are only shifted, so that busy and idle stay exact; host times are mapped
// onto them through the clock readings of their process (a loader worker's: through its trainer's).
// Devices of several processes are laid side by side by what the host's clock says in their middle.
#pragma once
#include <vector>

#include "collector/analysis.h"
#include "collector/analyze/clock_map.h"

namespace gpustall::cli {

class ExportClock {
 public:
  ExportClock(const collect::Recording& recording, const collect::Analysis& analysis);

  int64_t host(collect::ProcessIndex process, collect::TraceTime time) const {
    const Source& source = of_process_[raw(process)];
    return source.clock.to_device(time) + source.shift - base_;
  }
  int64_t device(collect::DeviceIndex device, collect::TraceTime time) const {
    return time + of_device_[raw(device)] - base_;
  }
  // Of time 0, in the clock of the device that did most of the work.
  collect::TraceTime base() const { return base_; }
  int64_t last() const { return last_; }  // the end of the last event

 private:
  struct Source {
    collect::ClockMap clock;
    int64_t shift = 0;
  };
  void find_sources(const collect::Recording& recording, const collect::Analysis& analysis);
  void find_ends(const collect::Recording& recording);

  std::vector<Source> of_process_;
  std::vector<int64_t> of_device_;
  collect::TraceTime base_ = 0, last_ = 0;
};

}  // namespace gpustall::cli
