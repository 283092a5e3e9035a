#include "viewer-cli/export/timeline_state.h"

namespace gpustall::cli {

TimelineInput::TimelineInput(const collect::Recording& r, const collect::Analysis& a,
                             const collect::Model& m)
    : recording(r),
      analysis(a),
      model(m),
      links(collect::link_activities(r)),
      clock(r, a),
      ids(r),
      strings(r),
      idle_workers(collect::idle_workers(r)),
      steps_of(r.devices.size()) {
  std::vector<uint64_t> work(r.queues.size());
  for (const collect::QueueIndex queue : r.activities.queue) ++work[raw(queue)];
  std::vector<uint64_t> most(r.devices.size());
  for (const collect::Steps& steps : a.steps) {
    std::vector<uint64_t> on_device(r.devices.size());
    for (size_t q = 0; q < r.queues.size(); ++q)
      if (r.queues[q].process == steps.process) on_device[raw(r.queues[q].device)] += work[q];
    for (size_t d = 0; d < r.devices.size(); ++d) {
      if (on_device[d] <= most[d]) continue;
      most[d] = on_device[d];
      steps_of[d] = &steps;
    }
  }
}

}  // namespace gpustall::cli
