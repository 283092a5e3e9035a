// When a loader has the batch of each step ready: its workers share the work, keep a bounded number
// of batches ahead, and begin one when its place is free.
//
//   ready(j) = max(ready(j - 1) + share(j),  taken(j - ahead) + work(j))
//
// Fluid: which worker makes which batch is left out.
#pragma once
#include <algorithm>
#include <vector>

#include "collector/ids.h"

namespace gpustall::collect {

class LoaderClock {
 public:
  struct Batch {        // nanoseconds
    int64_t work = 0;   // in one worker
    int64_t share = 0;  // with all workers at it; 0: it was ahead from the start
  };
  explicit LoaderClock(size_t ahead) : ahead_(ahead) {}

  // Of the next step; `taken`: when the training thread went past each step before. The first
  // batch is there when it is asked for.
  void next(const Batch& batch, const std::vector<TraceTime>& taken) {
    if (ready_.empty()) {
      ready_.push_back(taken.front());
      return;
    }
    TraceTime ready = ready_.back() + batch.share;
    if (ready_.size() >= ahead_)
      ready = std::max(ready, taken[ready_.size() - ahead_] + batch.work);
    ready_.push_back(ready);
  }
  const std::vector<TraceTime>& ready() const { return ready_; }

 private:
  size_t ahead_;
  std::vector<TraceTime> ready_;
};

}  // namespace gpustall::collect
