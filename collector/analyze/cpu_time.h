// Owners of the time that a thread spends on the CPU between recorded events. Evidence, in order:
// the sampler's stacks in that stretch; samples of the same stretch (the same line before and
// after) in other iterations, placed at their share of it; the lines before and after themselves.
#pragma once
#include <optional>
#include <unordered_map>

#include "collector/analyze/backward_waits.h"
#include "collector/analyze/host_piece.h"
#include "collector/analyze/loader_workers.h"
#include "collector/analyze/stack_facts.h"
#include "collector/analyze/thread_segments.h"

namespace gpustall::collect {

class CpuTime {
 public:
  CpuTime(const Recording& recording, const StackFacts& facts, const BackwardWaits& backward,
          const ThreadSegments& segments, const LoaderWorkers& workers);

  // [start, end) on `thread`, before segment `next` and behind the one before it.
  void explain(ThreadIndex thread, TraceTime start, TraceTime end, uint32_t next, HostPieces& out);
  // How long the thread waited for a CPU inside a call of its own, which no sample looks into: what
  // the kernel counted between the samples around it, if that is most of the call.
  int64_t waited_in_call(ThreadIndex thread, TraceTime start, TraceTime end) const;
  // What the thread was doing at that time, by the same evidence: the context of short waits.
  HostPiece context(ThreadIndex thread, TraceTime start, TraceTime end, uint32_t next);

 private:
  struct Stretch {  // between two events with stacks
    TraceTime start, end;
    StackId before, after;
    bool long_one;
    bool pinning;  // after a call that pins memory, on the line that made it
  };
  struct Seen {  // a sample, by its place in the stretch
    double share;
    StackId stack;
    trace::ThreadRunState state;
    uint8_t flags;  // trace::SampleFlag
    bool faulting;
    double starved;  // of the time since the sample before: runnable, without a CPU
  };

  Stretch stretch(ThreadIndex thread, uint32_t next) const;
  std::optional<Cause> told_by_stack(const Seen& seen, ThreadIndex thread) const;
  HostPiece from_sample(const Seen& seen, const Stretch& s, ThreadIndex thread) const;
  HostPiece from_lines(const Stretch& s, ThreadIndex thread, TraceTime at) const;
  void find_launching_lines();
  void find_typical_pauses();
  void find_starved();
  Seen seen(size_t sample, double share) const;
  void pool_samples();
  const std::vector<Seen>* evidence(ThreadIndex thread, const Stretch& s);
  void emit_between_samples(const std::vector<Seen>& seen, const Stretch& s, ThreadIndex thread,
                            TraceTime start, TraceTime end, HostPieces& out) const;

  const Recording& r_;
  const StackFacts& facts_;
  const BackwardWaits& backward_;
  const ThreadSegments& segments_;
  const LoaderWorkers& workers_;
  std::vector<bool> launching_;  // by StackId: user lines that launch kernels
  // By thread: no call of it carries a stack, so that of a wait says nothing of the time around it.
  std::vector<bool> bare_;
  std::vector<int64_t> long_from_;      // by thread: a pause that long is not dispatch
  std::vector<uint32_t> first_sample_;  // by thread
  std::vector<bool> faulting_;          // by sample
  std::vector<double> starved_;         // by sample: see Seen
  // By the lines around it; of short and of long stretches: a pause in a loop is something else
  // than the loop's dispatch, though the same lines surround both.
  using Pool = std::unordered_map<uint64_t, std::vector<Seen>>;
  Pool pools_[2];
  std::vector<Seen> own_;  // scratch
};

}  // namespace gpustall::collect
