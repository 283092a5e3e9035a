// "Gain if fixed": not the idle time, since the wait moves to the next constraint, but what a
// replay of the recorded dependencies saves with the cause taken out. Null without steps, where
// removing a cause is no repair, and where the replay of the untouched recording does not reproduce
// the recorded step time.
//
// The range is meant to hold what a repair really gains: how well the mean over these steps is
// known (90 %, neighbouring steps depending on each other), the untouched replay's own error, and
// the model's error as the random programs of test/unit/gain show it. That of launches begins with
// what a CUDA graph gains, which keeps all device work.
#pragma once
#include <optional>
#include <vector>

#include "collector/analysis.h"
#include "collector/model.h"

namespace gpustall::collect {

class Edit;

struct GainTarget {
  Cause cause{};
  SiteId site = kNone<SiteId>;
};
using GainTargets = std::vector<GainTarget>;  // repaired together

class GainPredictor {
 public:
  // Of a long recording the first steps are replayed: as many as hold half a million events, a
  // hundred at least.
  GainPredictor(const Recording& recording, const Analysis& analysis, const Steps& steps);

  // One pass over the replayed events.
  std::optional<Gain> predict(const GainTargets& targets) const;
  // Percent of the step that the device spends in kernels which that repair fuses: it is gained
  // beside idle time.
  double fused_pct(const GainTargets& targets) const;
  bool usable() const { return usable_; }
  // Of the untouched replay against the recording, percent of the step.
  double error_pct() const { return error_pct_; }
  size_t steady_steps() const;  // that were replayed

 private:
  Gain gain_of(const Edit& edit) const;
  void sum_fusing();

  const Recording& r_;
  const Analysis& a_;
  Steps steps_;
  std::vector<TraceTime> base_;
  std::vector<int64_t> fusing_ns_;  // by site of the launch: kernels that its repair may fuse
  double error_pct_ = 0;
  bool usable_ = false;
};

}  // namespace gpustall::collect
