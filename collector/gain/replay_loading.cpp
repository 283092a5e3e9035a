#include "collector/gain/replay_loading.h"

#include <algorithm>
#include <charconv>

#include "collector/gain/batch_work.h"

namespace gpustall::collect {
namespace {

constexpr size_t kPrefetch = 2;      // batches ahead of each worker: the DataLoader's default
constexpr int kWorkersOfRepair = 4;  // what a first try with num_workers > 0 usually is

// 0: not known.
int cores_of(const Process& process) {
  int allowed = 0;
  for (const char* key : {"cpu.allowed", "cpu.online"}) {
    const auto at = process.info.find(key);
    if (at == process.info.end()) continue;
    std::from_chars(at->second.data(), at->second.data() + at->second.size(), allowed);
    if (allowed > 0) break;
  }
  return allowed;
}

}  // namespace

ReplayLoading::ReplayLoading(const ReplayScript& script, const StepScript& step_script,
                             const Recording& recording, const Steps& steps, const Edit& edit)
    : steps_(steps),
      edit_(edit),
      work_(step_script),
      recorded_batches_(batch_work(step_script, steps, Edit(script.sites))),
      batches_(batch_work(step_script, steps, edit)),
      recorded_(kPrefetch * step_script.workers),
      now_(recorded_),
      ahead_(kPrefetch * kWorkersOfRepair) {
  if (edit.loads_ahead()) load_ahead(script, recording);
}

// The workers wait side by side, and compute so as far as there are cores: for them, and for what
// is left to the training thread.
void ReplayLoading::load_ahead(const ReplayScript& script, const Recording& recording) {
  struct Step {
    int64_t computes = 0, waits = 0, rest = 0;
  };
  std::vector<Step> of_step(steps_.boundary.size());
  const auto add = [&](uint32_t from, uint32_t to, int64_t& loading, int64_t* rest) {
    for (uint32_t i = from; i < to; ++i) {
      const ScriptPiece& piece = script.pieces[i];
      if (piece.cause == Cause::DataMain)
        loading += piece.ns;
      else if (rest != nullptr)
        *rest += piece.ns;
    }
  };
  size_t step = 0;
  for (const ScriptEvent& e : script.events) {
    if (e.thread != work_.main) continue;
    while (step < of_step.size() && steps_.boundary[step] < e.start) ++step;
    if (step == of_step.size()) break;
    Step& s = of_step[step];
    add(e.first_cpu, e.first_inside, s.computes, &s.rest);
    add(e.first_inside, e.pieces_end, s.waits, nullptr);
    if (e.kind != ScriptKind::Wait && !e.waited) s.rest += e.cost;
  }
  const int cores = cores_of(recording.processes[raw(steps_.process)]);
  for (const Step& s : of_step) {
    const int64_t work = s.computes + s.waits;
    int64_t share = work / kWorkersOfRepair;
    if (cores > 0) share = std::max(share, (s.computes + s.rest) / cores);
    ahead_batches_.push_back({work, share});
  }
}

void ReplayLoading::advance(size_t step, const std::vector<TraceTime>& taken) {
  if (taken.empty()) return;
  while (has_workers() && now_.ready().size() <= step) {
    const size_t j = now_.ready().size();
    recorded_.next(recorded_batches_[j], steps_.boundary);
    now_.next(batches_[j], taken);
  }
  while (!ahead_batches_.empty() && ahead_.ready().size() <= step)
    ahead_.next(ahead_batches_[ahead_.ready().size()], taken);
}

TraceTime ReplayLoading::earliest(size_t step, const std::vector<TraceTime>& taken) {
  TraceTime earliest = INT64_MIN;
  if (step == 0) return earliest;
  advance(step, taken);
  if (has_workers()) earliest = made(step, steps_.boundary[step], taken);
  if (!ahead_batches_.empty()) earliest = std::max(earliest, ahead_.ready()[step]);
  return earliest;
}

TraceTime ReplayLoading::made(size_t step, TraceTime came, const std::vector<TraceTime>& taken) {
  if (!has_workers() || taken.empty()) return INT64_MIN;
  step = std::min(step, steps_.boundary.size() - 1);
  advance(step, taken);
  // Where the model's loader is later than the real one was, it is so in the replay too.
  return now_.ready()[step] - std::max<int64_t>(0, recorded_.ready()[step] - came);
}

TraceTime ReplayLoading::comes(size_t step, TraceTime recorded, int64_t delivery,
                               const std::vector<TraceTime>& taken) {
  if (!has_workers() || taken.empty()) return recorded;
  step = std::min(step, steps_.boundary.size() - 1);
  advance(step, taken);
  const int64_t model_early = recorded - recorded_.ready()[step];
  const int64_t by_work = std::max<int64_t>(0, model_early - delivery);
  const double kept = recorded_batches_[step].work > 0
                          ? double(batches_[step].work) / double(recorded_batches_[step].work)
                          : 1;
  return now_.ready()[step] + model_early - static_cast<int64_t>((1 - kept) * double(by_work));
}

}  // namespace gpustall::collect
