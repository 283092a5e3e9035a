#include "test/unit/gain/verified.h"

#include <algorithm>

#include "collector/gain/replay.h"

namespace gpustall::test {
namespace {

using namespace collect;
using sim::Op;
using sim::Removable;

bool same(const GainTarget& a, const GainTarget& b) {
  return a.cause == b.cause && a.site == b.site;
}

Cause usual_cause(const Removable& what) {
  switch (what.kind) {
    case Op::LoadOnMain:
      return Cause::DataMain;
    case Op::NextBatch:
      return what.site == sim::kReadSite ? Cause::DataWorkerRead : Cause::DataWorkerCpu;
    case Op::Python:
      return Cause::HostPython;
    case Op::Sleep:
      return Cause::HostSleep;
    case Op::Write:
      return Cause::HostIo;
    case Op::Collect:
      return Cause::HostGc;
    case Op::Malloc:
      return Cause::AllocGrowth;
    case Op::EmptyCache:
      return Cause::AllocEmptyCache;
    case Op::Sync:
      return what.on == Op::Item     ? Cause::SyncItem
             : what.on == Op::Stream ? Cause::SyncOther
                                     : Cause::SyncExplicit;
    case Op::Upload:
      return Cause::CopyPageable;
    case Op::PinnedCopy:
      return Cause::CopyPinned;
    default:
      return Cause::LaunchDispatch;
  }
}

// A person who sees such a row in the report would take it for this operation.
bool names(const Removable& what, Cause cause) {
  const Cause usual = usual_cause(what);
  const bool family = what.kind == Op::Sync || usual == Cause::LaunchDispatch;
  return family ? family_of(cause) == family_of(usual) : cause == usual;
}

bool everywhere(const Removable& what) {
  return what.kind == Op::LoadOnMain || what.kind == Op::NextBatch || what.kind == Op::Collect;
}

std::string place(const Removable& what) {
  if (what.kind == Op::Python) return sim::function_of(what.site);
  return what.on_autograd ? "train.py:20 step" : sim::line_of(what.site);
}

}  // namespace

VerifiedProgram::VerifiedProgram(const sim::Program& program, const sim::Machine& machine)
    : program_(program),
      machine_(machine),
      run_(sim::run(program, {}, machine)),
      analysis_(analyze(run_.recording)) {
  if (has_steps()) predictor_.emplace(run_.recording, analysis_, steps());
}

double VerifiedProgram::calibration_pct() const {
  const auto recorded = recorded_boundaries(*analysis_.script, run_.recording, steps());
  const auto replayed =
      replay(*analysis_.script, run_.recording, steps(), Edit(analysis_.script->sites));
  const double step = double(recorded.back() - recorded.front()) / double(steps().count());
  double largest = 0;
  for (size_t i = 0; i < recorded.size(); ++i)
    largest = std::max(largest, std::abs(double(recorded[i] - replayed[i])));
  return 100 * largest / step;
}

bool VerifiedProgram::in_steady(TraceTime device_time) const {
  return device_time >= steps().device_boundary[steps().warmup] &&
         device_time < steps().device_boundary.back();
}

double VerifiedProgram::steady_share(int64_t ns) const {
  const auto& edge = steps().device_boundary;
  return 100 * double(ns) / double(edge.back() - edge[steps().warmup]);
}

double VerifiedProgram::idle_pct() const {
  int64_t ns = 0;
  for (size_t s = 0; s < analysis_.slices.size(); ++s)
    if (in_steady(analysis_.slices.start[s]))
      ns += analysis_.slices.end[s] - analysis_.slices.start[s];
  return steady_share(ns);
}

bool VerifiedProgram::matches(const Removable& what, Cause cause, SiteId site) const {
  if (!names(what, cause)) return false;
  if (everywhere(what)) return true;
  if (raw(site) >= analysis_.sites.size()) return false;
  const Site& s = analysis_.sites[raw(site)];
  const Recording& r = run_.recording;
  return place(what) == std::string(r.text(s.file)) + ":" + std::to_string(s.line) + " " +
                            std::string(r.text(s.function));
}

GainTargets VerifiedProgram::targets(const Removable& what) const {
  GainTargets out;
  const auto look = [&](Cause cause, SiteId site) {
    const GainTarget target{cause, site};
    if (!matches(what, cause, site)) return;
    if (std::none_of(out.begin(), out.end(), [&](const GainTarget& t) { return same(t, target); }))
      out.push_back(target);
  };
  // The replay is asked also where the report charges nothing.
  for (uint32_t site = 0; site < analysis_.sites.size(); ++site)
    look(usual_cause(what), SiteId(site));
  for (size_t s = 0; s < analysis_.slices.size(); ++s)
    look(analysis_.slices.cause[s], analysis_.slices.site[s]);
  for (size_t s = 0; s < analysis_.busy_slices.size(); ++s)
    look(analysis_.busy_slices.cause[s], analysis_.busy_slices.site[s]);
  return out;
}

// Between the same two instants of the program as the steady steps of the report, which need not
// begin where the program's do.
double VerifiedProgram::true_gain(const std::set<char>& removed) const {
  const auto ends = [](const sim::Outcome& run) {
    std::vector<double> all = run.step_us;
    all.push_back(run.total_us);
    return all;
  };
  const std::vector<double> with = ends(run_);
  const std::vector<double> without = ends(sim::time_only(program_, removed, machine_));
  const auto moved = [&](TraceTime ns) {
    const double us = std::clamp(double(ns) / 1000, with.front(), with.back());
    const auto after = static_cast<size_t>(
        std::clamp<ptrdiff_t>(std::upper_bound(with.begin(), with.end(), us) - with.begin(), 1,
                              ptrdiff_t(with.size()) - 1));
    const double share = (us - with[after - 1]) / std::max(1e-9, with[after] - with[after - 1]);
    return without[after - 1] + share * (without[after] - without[after - 1]);
  };
  const auto recorded = recorded_boundaries(*analysis_.script, run_.recording, steps());
  const TraceTime first = recorded[steps().warmup], last = recorded.back();
  const double before = double(last - first) / 1000;
  return 100 * (before - (moved(last) - moved(first))) / before;
}

double VerifiedProgram::charged(const GainTargets& targets, bool only_sync) const {
  int64_t ns = 0;
  const auto wanted = [&](Cause cause, SiteId site) {
    if (only_sync && family_of(cause) != CauseFamily::Sync) return false;
    return std::any_of(targets.begin(), targets.end(), [&](const GainTarget& t) {
      return same(t, {cause, site});
    });
  };
  const Slices& s = analysis_.slices;
  for (size_t i = 0; i < s.size(); ++i)
    if (wanted(s.cause[i], s.site[i]) && in_steady(s.start[i])) ns += s.end[i] - s.start[i];
  const BusySlices& b = analysis_.busy_slices;
  for (size_t i = 0; i < b.size(); ++i)
    if (wanted(b.cause[i], b.site[i]) && in_steady(b.start[i])) ns += b.end[i] - b.start[i];
  return steady_share(ns);
}

std::set<Removable> VerifiedProgram::grouped_with(const Removable& what,
                                                  const std::set<Removable>& all) const {
  const Slices& s = analysis_.slices;
  std::set<uint32_t> groups;
  for (size_t i = 0; i < s.size(); ++i)
    if (s.group[i] != 0 && matches(what, s.cause[i], s.site[i])) groups.insert(s.group[i]);
  std::set<Removable> out{what};
  for (const Removable& other : all)
    for (size_t i = 0; i < s.size(); ++i)
      if (groups.count(s.group[i]) != 0 && matches(other, s.cause[i], s.site[i])) out.insert(other);
  return out;
}

Verified VerifiedProgram::verify(const std::set<Removable>& together) const {
  Verified v;
  GainTargets all;
  std::set<char> removed;
  for (const Removable& what : together) {
    const GainTargets some = targets(what);
    v.cause += std::string(v.cause.empty() ? "" : " + ") +
               std::string(text_of(usual_cause(what)).id) + " " + what.site;
    v.family = family_of(usual_cause(what));
    all.insert(all.end(), some.begin(), some.end());
    removed.insert(what.site);
  }
  v.truth = true_gain(removed);
  v.run_truth = 100 * (1 - sim::time_only(program_, removed, machine_).total_us / run_.total_us);
  v.together = together.size() > 1;
  v.idle_pct = idle_pct();
  v.charged = charged(all, false);
  v.charged_as_sync = charged(all, true);
  v.gain = predictor_->predict(all).value_or(Gain{});
  return v;
}

std::vector<Verified> VerifiedProgram::verify() const {
  const std::set<Removable> all = removables(program_);
  std::set<std::set<Removable>> sets;
  for (const Removable& what : all) sets.insert(grouped_with(what, all));
  std::vector<Verified> out;
  for (const auto& together : sets) out.push_back(verify(together));
  return out;
}

}  // namespace gpustall::test
