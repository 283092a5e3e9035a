// The mapping between a process's device clock and its host clock, both ways. Only the placing on
// the host goes through it: busy and idle are computed in the device's own clock.
#pragma once
#include "collector/recording.h"

namespace gpustall::collect {

class ClockMap {
 public:
  explicit ClockMap(const DeviceClock& clock) : clock_(&clock) {
    inverse_.device_ns = clock.host_ns;
    inverse_.host_ns = clock.device_ns;
    constant_ = clock.device_ns.size() <= 1;
    offset_ = clock.device_ns.size() == 1 ? clock.host_ns[0] - clock.device_ns[0] : 0;
  }
  TraceTime to_host(TraceTime device) const {
    return constant_ ? device + offset_ : clock_->to_host(device);
  }
  TraceTime to_device(TraceTime host) const {
    return constant_ ? host - offset_ : inverse_.to_host(host);
  }
  int64_t error_ns() const { return clock_->error_ns; }

 private:
  const DeviceClock* clock_;
  DeviceClock inverse_;  // the same readings with the clocks exchanged
  bool constant_ = true;
  TraceTime offset_ = 0;
};

}  // namespace gpustall::collect
