// What was charged to waits for the device, until it is known that nothing was lost by them: where
// the launching thread then waits for a batch, it would have come to that wait earlier and the
// batch no sooner. Work that a lead would have hidden goes back to itself, the rest to the batch.
//   - only while the loader was at its limit: not from before all its workers had nothing to do;
//   - where the workers were not recorded: only if the wait is longer than what was charged.
#pragma once
#include <vector>

#include "collector/analyze/loader_workers.h"

namespace gpustall::collect {

struct LeadCharge {
  TraceTime host = 0;  // when the work was done
  uint32_t slice = 0;
  int64_t ns = 0;
  bool is_work = false;  // hidden by a lead; else the wait's own time
  Cause work{};          // its own owner
  StackId stack = kNone<StackId>;
  StringId object{};
};

class LeadCharges {
 public:
  void add(const LeadCharge& charge) { since_.push_back(charge); }
  // The thread waited for something outside: what was charged before is settled. Returns what goes
  // back. `loader`: null where it was not a batch that was waited for.
  std::vector<LeadCharge> settle(const LoaderWorkers* loader, ProcessIndex process, TraceTime start,
                                 TraceTime end);

 private:
  std::vector<LeadCharge> since_;  // the last such wait
};

}  // namespace gpustall::collect
