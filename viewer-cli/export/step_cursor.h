// Which step a time of a device lies in, for times that ascend.
#pragma once
#include "viewer-cli/export/timeline_state.h"

namespace gpustall::cli {

class StepCursor {
 public:
  StepCursor(const TimelineInput& in, collect::DeviceIndex device)
      : steps_(in.steps_of[raw(device)]) {}

  // From 1, as the report counts them; 0: outside of all.
  int64_t at(collect::TraceTime time) {
    if (steps_ == nullptr) return 0;
    const auto& edge = steps_->device_boundary;
    while (passed_ < edge.size() && edge[passed_] <= time) ++passed_;
    return passed_ < edge.size() ? static_cast<int64_t>(passed_) : 0;
  }

 private:
  const collect::Steps* steps_;
  size_t passed_ = 0;
};

}  // namespace gpustall::cli
