// The rows of torch.profiler traces that need a second look when all are there: operators,
// annotations and Python functions nest by time, and that nesting is the stack of the calls inside.
#pragma once
#include "collector/read/tables.h"

namespace gpustall::collect {

struct KinetoRange {  // an operator or an annotation
  ThreadIndex thread{};
  RangeKind kind{};
  StringId name{};
  StackId call_stack = kNone<StackId>;  // recorded with the operator (2021), not by nesting
  TraceTime start = 0, end = 0;
};

struct KinetoFunction {  // one run of a Python function
  ThreadIndex thread{};
  FrameId frame{};
  TraceTime start = 0, end = 0;
};

struct KinetoRows {
  std::vector<KinetoRange> ranges;
  std::vector<KinetoFunction> functions;
};

}  // namespace gpustall::collect
