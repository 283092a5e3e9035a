#include "collector/gain/batch_work.h"

#include <algorithm>

namespace gpustall::collect {
namespace {

class Production {
 public:
  Production(const StepScript& script, const Steps& steps, const Edit& edit)
      : script_(script),
        boundary_(steps.boundary),
        n_(steps.boundary.size()),
        any_order_(edit.repairs(Cause::DataOrder, kNone<SiteId>)) {
    for (size_t j = 0; j < n_; ++j) {
      const int64_t before = j > 0 ? done_[j - 1] : 0, kept_before = j > 0 ? kept_[j - 1] : 0;
      int64_t all = 0, kept = 0;
      for (uint32_t i = script.first[j]; i < script.first[j + 1]; ++i) {
        const ScriptPiece& piece = script.pieces[i];
        all += piece.ns;
        if (!edit.repairs(piece.cause, piece.site)) kept += piece.ns;
      }
      done_.push_back(before + all);
      kept_.push_back(kept_before + kept);
    }
  }

  std::vector<LoaderClock::Batch> run() {
    find_needed();
    std::vector<LoaderClock::Batch> out(n_);
    // Of any batch: the first ones include what the workers do once, at their start.
    const double produced = double(done_.back() - done_[0]);
    const double kept = produced > 0 ? double(kept_.back() - kept_[0]) / produced : 1;
    const auto work = static_cast<int64_t>(kept * usual_);
    int64_t reached = kept_[0];  // when the first batch is taken
    for (size_t j = 0; j < n_; ++j) {
      const int64_t needed = kept_at(needed_[j]);
      out[j] = {work, std::max<int64_t>(0, needed - reached) / script_.workers};
      reached = std::max(reached, needed);
    }
    return out;
  }

 private:
  // In order, what was produced when a batch came that was waited for is what it needed; those
  // between two of them lie evenly, but never behind what was produced when they were taken.
  void find_needed() {
    needed_.assign(n_, 0);
    size_t first = n_, last = n_;
    for (size_t j = 0; j < n_; ++j) {
      if (script_.batch_came[j] == 0 || any_order_) continue;
      needed_[j] = done_at(j, script_.batch_came[j]);
      if (last < n_) fill(last, j);
      if (first == n_) first = j;
      last = j;
    }
    usual_ = first < last ? double(needed_[last] - needed_[first]) / double(last - first)
                          : double(done_.back() - done_[0]) / double(std::max<size_t>(1, n_ - 1));
    if (first == n_) {
      for (size_t j = 0; j < n_; ++j) needed_[j] = int64_t(usual_ * double(j + 1));
    } else {
      for (size_t j = 0; j < first; ++j)
        needed_[j] = needed_[first] - int64_t(usual_ * double(first - j));
      for (size_t j = last + 1; j < n_; ++j)
        needed_[j] = needed_[last] + int64_t(usual_ * double(j - last));
    }
    // The others were at later batches when the first one came.
    const double others = double(script_.workers - 1) * usual_;
    const auto offset = static_cast<int64_t>(std::clamp(double(needed_[0]) - usual_, 0.0, others));
    for (size_t j = 0; j < n_; ++j)
      needed_[j] = std::clamp<int64_t>(needed_[j] - offset, 0, done_[j]);
  }

  void fill(size_t from, size_t to) {
    const double each = double(needed_[to] - needed_[from]) / double(to - from);
    for (size_t j = from + 1; j < to; ++j)
      needed_[j] = needed_[from] + int64_t(each * double(j - from));
  }

  // At time t inside step j.
  int64_t done_at(size_t j, TraceTime t) const {
    if (j == 0) return done_[0] - script_.workers * (boundary_[0] - t);  // they were all at it
    const double share = double(t - boundary_[j - 1]) / double(boundary_[j] - boundary_[j - 1]);
    return done_[j - 1] + int64_t(share * double(done_[j] - done_[j - 1]));
  }

  // What is left by the repairs of the first `done` nanoseconds.
  int64_t kept_at(int64_t done) const {
    const auto at = std::lower_bound(done_.begin(), done_.end(), done);
    if (at == done_.end()) return kept_.back();
    const auto j = static_cast<size_t>(at - done_.begin());
    const int64_t before = j > 0 ? done_[j - 1] : 0, kept_before = j > 0 ? kept_[j - 1] : 0;
    if (done_[j] == before) return kept_[j];
    const double share = double(done - before) / double(done_[j] - before);
    return kept_before + int64_t(share * double(kept_[j] - kept_before));
  }

  const StepScript& script_;
  const std::vector<TraceTime>& boundary_;
  size_t n_;
  bool any_order_;                    // a late batch holds up none of the others
  std::vector<int64_t> done_, kept_;  // until each boundary
  std::vector<int64_t> needed_;       // by step
  double usual_ = 0;                  // of one batch
};

}  // namespace

std::vector<LoaderClock::Batch> batch_work(const StepScript& script, const Steps& steps,
                                           const Edit& edit) {
  if (script.workers == 0) return {};
  return Production(script, steps, edit).run();
}

}  // namespace gpustall::collect
