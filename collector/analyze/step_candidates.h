// Where a process's iterations could begin, by each kind of evidence, best first.
#pragma once
#include <string>
#include <vector>

#include "collector/analyze/link.h"
#include "collector/analyze/stack_facts.h"

namespace gpustall::collect {

struct StepCandidate {
  std::vector<TraceTime> boundary;  // host clock, ascending
  std::string basis;
  bool annotated = false;  // the program says so itself: regularity is not asked for
  bool closed = false;     // the last boundary ends the last step; else it begins it
};

// In the order in which they are believed.
enum class StepEvidence : uint8_t {
  ProfilerStep,
  Optimizer,
  RepeatedLines,
  NvtxRange,
  Pauses,
  LaunchPeriod,
  LinesAndWaits,
  EachLaunch,
  Count
};

// None where the process has no such evidence; several where it is ambiguous.
std::vector<StepCandidate> step_candidates(const Recording& recording, const Links& links,
                                           const StackFacts& facts, ProcessIndex process,
                                           StepEvidence evidence);

}  // namespace gpustall::collect
