// What the repair of a cause does to a run; the report's advice says the same:
//
//   sync.*, alloc.*, copy.pin_call,     the call at this line is gone, with its copy and its wait;
//   host.checkpoint                     so is the host's work for it
//   launch.dispatch, launch.call        the launches of this line cost the host nothing (a graph, a
//                                       compiled region), nor does what else it does in that line
//                                       between them; their device work stays, but pointwise work
//                                       in a loop of the user's own or an optimizer's is fused
//                                       (foreach, fused=True, a compiled region)
//   launch.blocking                     launches do not wait
//   host.*                              the work or wait is gone, in the whole function
//   data.main                           four workers load ahead; their CPU work and the training
//                                       thread's share the cores
//   data.worker_cpu/read/wait/starved   that part of the workers' time is gone; the rest bounds
//   other data.*                        that part of the wait for a batch is gone
//   copy.pageable                       pinned: it neither blocks nor is staged
//   copy.pinned                         made ahead on a stream of its own, beside the step before
//   copy.device                         gone
//   cold.graph, cold.compile,           gone: done once, not again in steady state
//   cold.autotune
//   device.*, other cold.*, tool.*,     no repair, no gain
//   unknown.*
#pragma once
#include <algorithm>
#include <vector>

#include "collector/analysis.h"

namespace gpustall::collect {

class Edit {
 public:
  explicit Edit(const std::vector<Site>& sites) : sites_(&sites), at_(sites.size() + 1) {}

  // Adds the repair of one cause. False where there is none: nothing is added.
  bool add(Cause cause, SiteId site);
  bool empty() const { return empty_; }
  // All of the device work of repaired launches stays, as in a CUDA graph.
  void keep_small_kernels() { fuses_ = false; }
  bool fuses() const { return fuses_; }

  bool repairs(Cause cause, SiteId site) const {
    const size_t at = std::min<size_t>(raw(site), at_.size() - 1);
    return ((everywhere_ | at_[at]) & bit_of(cause)) != 0;
  }
  // Something between the workers and the training thread.
  bool repairs_delivery() const {
    return (everywhere_ & (bit_of(Cause::DataTransport) | bit_of(Cause::DataPin) |
                           bit_of(Cause::DataWorkerStart) | bit_of(Cause::DataWait))) != 0;
  }
  bool loads_ahead() const { return (everywhere_ & bit_of(Cause::DataMain)) != 0; }

 private:
  using Causes = uint64_t;  // a set: bit_of()
  void reach(Cause cause, SiteId site);
  void reach_function(Cause cause, SiteId site);

  const std::vector<Site>* sites_;
  Causes everywhere_ = 0;
  std::vector<Causes> at_;  // by site, and one more for all that are none
  bool empty_ = true, fuses_ = true;
};

// The workers' own time, as opposed to what happens between them and the training process.
bool is_worker_time(Cause cause);

}  // namespace gpustall::collect
