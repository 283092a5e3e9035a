#include "collector/gain/gain.h"

#include <algorithm>
#include <cmath>

#include "collector/compare/resample.h"
#include "collector/gain/replay.h"

namespace gpustall::collect {
namespace {

constexpr double kTooFarOff = 10;  // percent of the step: a replay that far off predicts nothing
// Over 2,000 random programs 95 % of the predictions lie within half a point below 3 points, within
// 0.6 from 3 to 10, 1.3 from 10 to 30, 1.6 above; twice that, for what a repair does besides.
constexpr double kModelPoints = 0.5, kModelShare = 0.1;
constexpr double kLevel = 0.9;

int64_t steady_ns(const std::vector<TraceTime>& boundary, uint32_t warmup) {
  return boundary.back() - boundary[warmup];
}

// To those that the script has.
void shorten(const ReplayScript& script, Steps& steps) {
  for (const StepScript& s : script.steps)
    if (s.process == steps.process) steps.boundary.resize(s.passed_by.size());
}

bool repairs_launches(const GainTargets& targets) {
  return std::any_of(targets.begin(), targets.end(),
                     [](const GainTarget& t) { return family_of(t.cause) == CauseFamily::Launch; });
}

// +- of the mean.
double uncertainty(const std::vector<double>& saved) {
  const std::vector<RunSeries> none{{{std::vector<double>(saved.size())}}}, some{{{saved}}};
  ResampleOptions options;
  options.level = kLevel;
  options.resamples = 200;
  const std::vector<Margin> margin = margins(none, some, {true}, options);
  return margin.empty() ? 0 : margin.front().alone;
}

}  // namespace

GainPredictor::GainPredictor(const Recording& recording, const Analysis& analysis,
                             const Steps& steps)
    : r_(recording), a_(analysis), steps_(steps) {
  if (analysis.script == nullptr || steps.warmup + 1 >= steps.boundary.size()) return;
  shorten(*analysis.script, steps_);
  base_ = replay(*analysis.script, recording, steps_, Edit(analysis.script->sites));
  const int64_t recorded =
      steady_ns(recorded_boundaries(*analysis.script, recording, steps_), steps_.warmup);
  const int64_t replayed = steady_ns(base_, steps_.warmup);
  if (recorded <= 0 || replayed <= 0) return;
  error_pct_ = 100 * std::abs(double(replayed - recorded)) / double(recorded);
  usable_ = error_pct_ <= kTooFarOff;
  if (usable_) sum_fusing();
}

void GainPredictor::sum_fusing() {
  const TraceTime from = steps_.boundary[steps_.warmup], until = steps_.boundary.back();
  fusing_ns_.assign(a_.script->sites.size(), 0);
  for (const ScriptEvent& e : a_.script->events) {
    if (e.start < from || e.end >= until || raw(e.site) >= fusing_ns_.size()) continue;
    for (uint32_t i = e.first_work; i < e.work_end; ++i)
      if (a_.script->work[i].fuses) fusing_ns_[raw(e.site)] += a_.script->work[i].duration;
  }
}

size_t GainPredictor::steady_steps() const {
  return base_.empty() ? 0 : base_.size() - 1 - steps_.warmup;
}

std::optional<Gain> GainPredictor::predict(const GainTargets& targets) const {
  if (!usable_) return {};
  Edit edit(a_.script->sites);
  bool repairs = false;
  for (const GainTarget& t : targets) repairs |= edit.add(t.cause, t.site);
  if (!repairs) return {};
  Gain gain = gain_of(edit);
  if (fused_pct(targets) == 0) return gain;
  edit.keep_small_kernels();
  gain.low_pct = std::min(gain.low_pct, gain_of(edit).low_pct);
  return gain;
}

double GainPredictor::fused_pct(const GainTargets& targets) const {
  if (!usable_ || !repairs_launches(targets)) return 0;
  Edit edit(a_.script->sites);
  for (const GainTarget& t : targets) edit.add(t.cause, t.site);
  int64_t ns = 0;
  for (uint32_t site = 0; site < fusing_ns_.size(); ++site)
    if (edit.repairs(Cause::LaunchDispatch, SiteId(site))) ns += fusing_ns_[site];
  return 100 * double(ns) / double(steps_.boundary.back() - steps_.boundary[steps_.warmup]);
}

Gain GainPredictor::gain_of(const Edit& edit) const {
  const std::vector<TraceTime> fixed = replay(*a_.script, r_, steps_, edit);
  const double step = double(steady_ns(base_, steps_.warmup)) / double(steady_steps());
  std::vector<double> saved;  // percent of the step
  double sum = 0;
  for (size_t i = steps_.warmup; i + 1 < base_.size(); ++i) {
    saved.push_back(100 * double((base_[i + 1] - base_[i]) - (fixed[i + 1] - fixed[i])) / step);
    sum += saved.back();
  }
  Gain gain;
  gain.pct = std::max(0.0, sum / double(saved.size()));
  const double half = uncertainty(saved) + error_pct_ + kModelPoints + kModelShare * gain.pct;
  gain.low_pct = std::max(0.0, gain.pct - half);
  gain.high_pct = std::min(100.0, gain.pct + half);
  gain.ns_per_step = static_cast<int64_t>(gain.pct / 100 * step);
  return gain;
}

}  // namespace gpustall::collect
