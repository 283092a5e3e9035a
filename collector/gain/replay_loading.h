// What a replay knows of loading: when the batch of each step is there, with the loader that was
// recorded, or with the workers that would take loading off the training thread.
#pragma once
#include "collector/gain/edit.h"
#include "collector/gain/loader_clock.h"
#include "collector/gain/script.h"

namespace gpustall::collect {

class ReplayLoading {
 public:
  ReplayLoading(const ReplayScript& script, const StepScript& step_script,
                const Recording& recording, const Steps& steps, const Edit& edit);

  // The training thread does not go past the boundary of this step before; `taken`: when it went
  // past those before. INT64_MIN: any time.
  TraceTime earliest(size_t step, const std::vector<TraceTime>& taken);
  // A batch that was there at `came` in the recording, and is waited for before this boundary, is
  // not there before.
  TraceTime made(size_t step, TraceTime came, const std::vector<TraceTime>& taken);
  // When a batch comes that is waited for before this boundary and came at `recorded`. `delivery`:
  // how much of the wait was not for the workers. By more than that the real loader is later than
  // its model where workers are done at the same time: the less they do, the less so.
  TraceTime comes(size_t step, TraceTime recorded, int64_t delivery,
                  const std::vector<TraceTime>& taken);
  bool has_workers() const { return work_.workers > 0; }

 private:
  using Batch = LoaderClock::Batch;
  void advance(size_t step, const std::vector<TraceTime>& taken);
  void load_ahead(const ReplayScript& script, const Recording& recording);

  const Steps& steps_;
  const Edit& edit_;
  const StepScript& work_;
  std::vector<Batch> recorded_batches_, batches_;  // by step
  LoaderClock recorded_, now_, ahead_;
  std::vector<Batch> ahead_batches_;  // by step; empty: loading stays where it is
};

}  // namespace gpustall::collect
