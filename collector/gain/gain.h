// "Gain if fixed": not the idle time, since the wait moves to the next constraint, but what a
// replay of the recorded dependencies saves with the cause taken out. Null without steps, where
// removing a cause is no repair, and where the replay of the untouched recording does not reproduce
// the recorded step time.
#pragma once
#include <optional>
#include <vector>

#include "collector/analysis.h"
#include "collector/model.h"

namespace gpustall::collect {

struct GainTarget {
  Cause cause{};
  SiteId site = kNone<SiteId>;
};
using GainTargets = std::vector<GainTarget>;  // repaired together

class GainPredictor {
 public:
  GainPredictor(const Recording& recording, const Analysis& analysis, const Steps& steps);

  std::optional<Gain> predict(const GainTargets& targets) const;
  bool usable() const { return usable_; }
  double error_pct() const {
    return error_pct_;
  }  // of the untouched replay against the recording, of the step

 private:
  const Recording& r_;
  const Analysis& a_;
  const Steps& steps_;
  std::vector<TraceTime> base_;
  double error_pct_ = 0;
  bool usable_ = false;
};

}  // namespace gpustall::collect
