// The autograd threads have no Python frames of their own: their site is the line whose thread
// waits in backward() at that time.
#pragma once
#include <vector>

#include "collector/analyze/stack_facts.h"

namespace gpustall::collect {

class BackwardWaits {
 public:
  BackwardWaits(const Recording& recording, const StackFacts& facts);

  // `stack` itself if there is one; else that of the thread of the process that waits in backward.
  StackId effective(ThreadIndex thread, TraceTime time, StackId stack) const;

 private:
  struct Wait {
    TraceTime start, end;
    StackId stack;
  };
  const Recording& r_;
  std::vector<std::vector<Wait>> by_process_;  // by start
};

}  // namespace gpustall::collect
