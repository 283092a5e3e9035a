#include "collector/gain/gain.h"

#include <algorithm>
#include <cmath>

#include "collector/gain/replay.h"

namespace gpustall::collect {
namespace {

constexpr double kTooFarOff = 10;  // percent of the step: a replay that far off predicts nothing
constexpr double kModelShare =
    0.1;  // of the gain itself: what a repair does besides is not in the recording
constexpr double kSmallestHalfWidth = 0.5;

int64_t steady_ns(const std::vector<TraceTime>& boundary, uint32_t warmup) {
  return boundary.back() - boundary[warmup];
}

}  // namespace

GainPredictor::GainPredictor(const Recording& recording, const Analysis& analysis,
                             const Steps& steps)
    : r_(recording), a_(analysis), steps_(steps) {
  if (analysis.script == nullptr || steps.warmup + 1 >= steps.boundary.size()) return;
  base_ = replay(*analysis.script, recording, steps, Edit(analysis.script->sites));
  const int64_t recorded =
      steady_ns(recorded_boundaries(*analysis.script, recording, steps), steps.warmup);
  const int64_t replayed = steady_ns(base_, steps.warmup);
  if (recorded <= 0 || replayed <= 0) return;
  error_pct_ = 100 * std::abs(double(replayed - recorded)) / double(recorded);
  usable_ = error_pct_ <= kTooFarOff;
}

std::optional<Gain> GainPredictor::predict(const GainTargets& targets) const {
  if (!usable_) return {};
  Edit edit(a_.script->sites);
  bool repairs = false;
  for (const GainTarget& t : targets) repairs |= edit.add(t.cause, t.site);
  if (!repairs) return {};
  const std::vector<TraceTime> fixed = replay(*a_.script, r_, steps_, edit);
  const size_t first = steps_.warmup, n = base_.size() - 1 - first;
  const double step = double(steady_ns(base_, steps_.warmup)) / double(n);
  double sum = 0, squares = 0;
  for (size_t i = first; i + 1 < base_.size(); ++i) {
    const double saved = 100 * double((base_[i + 1] - base_[i]) - (fixed[i + 1] - fixed[i])) / step;
    sum += saved;
    squares += saved * saved;
  }
  Gain gain;
  gain.pct = std::max(0.0, sum / double(n));
  const double variance = std::max(0.0, squares / double(n) - sum / double(n) * (sum / double(n)));
  const double half = std::max(kSmallestHalfWidth, 2 * std::sqrt(variance / double(n)) +
                                                       error_pct_ + kModelShare * gain.pct);
  gain.low_pct = std::max(0.0, gain.pct - half);
  gain.high_pct = std::min(100.0, gain.pct + half);
  gain.ns_per_step = static_cast<int64_t>(gain.pct / 100 * step);
  return gain;
}

}  // namespace gpustall::collect
