#include "collector/analyze/steps.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "collector/analyze/step_candidates.h"
#include "collector/quantile.h"

namespace gpustall::collect {
namespace {

constexpr uint32_t kMostWarmup = 20;
constexpr size_t kManySteps = 10;
constexpr double kSlow = 0.9;     // every tenth step may be one that loads, logs or saves
constexpr double kSettled = 1.5;  // times the slow ones: a step that long is not steady yet

std::vector<int64_t> durations(const std::vector<TraceTime>& boundary, size_t from = 0) {
  std::vector<int64_t> d;
  for (size_t i = from; i + 1 < boundary.size(); ++i) d.push_back(boundary[i + 1] - boundary[i]);
  return d;
}

// Many steps that nearly all launch the same number of times are steps, however long each takes: a
// loader's batches come in bursts.
bool alike(const std::vector<TraceTime>& boundary, const std::vector<TraceTime>& launches) {
  if (boundary.size() <= kManySteps) return false;
  std::map<size_t, size_t> steps_with;
  auto at = std::lower_bound(launches.begin(), launches.end(), boundary.front());
  for (size_t i = 1; i < boundary.size(); ++i) {
    const auto next = std::lower_bound(at, launches.end(), boundary[i]);
    ++steps_with[static_cast<size_t>(next - at)];
    at = next;
  }
  size_t most = 0;
  for (const auto& [count, steps] : steps_with) most = std::max(most, steps);
  return most * 10 >= (boundary.size() - 1) * 8;
}

// Half of the steps lie close to their median, the first fifth may be warm-up. And most of what is
// launched from the first step on lies in steps, by number, since a long start-up is no argument;
// a few steps must outweigh what is launched before them, too.
bool is_regular(const std::vector<TraceTime>& boundary, const std::vector<TraceTime>& launches) {
  const std::vector<int64_t> d = durations(boundary, boundary.size() / 5);
  if (d.size() < 2) return false;
  const int64_t median = quantile(d, 0.5);
  std::vector<int64_t> deviation;
  for (int64_t x : d) deviation.push_back(std::abs(x - median));
  const auto first = std::lower_bound(launches.begin(), launches.end(), boundary.front());
  const auto inside = std::upper_bound(first, launches.end(), boundary.back()) - first;
  const auto from = boundary.size() > kManySteps ? first : launches.begin();
  const bool covers = inside * 2 >= launches.end() - from;
  return covers && (quantile(deviation, 0.5) * 2 <= median || alike(boundary, launches));
}

// Steps in which something is used for the first time: a kernel, an allocation, a module.
std::vector<bool> cold_steps(const Recording& r, const Links& links, const Steps& steps) {
  std::vector<bool> cold(steps.count());
  std::vector<bool> seen(r.strings.size());
  const Activities& a = r.activities;
  const auto mark = [&](TraceTime host) {
    const auto after = std::upper_bound(steps.boundary.begin(), steps.boundary.end(), host);
    if (after != steps.boundary.begin() && after != steps.boundary.end())
      cold[static_cast<size_t>(after - steps.boundary.begin()) - 1] = true;
  };
  for (size_t i = 0; i < a.size(); ++i) {
    if (a.kind[i] != ActivityKind::Kernel || links.call_of[i] == kNoIndex) continue;
    if (r.queues[raw(a.queue[i])].process != steps.process || seen[raw(a.name[i])]) continue;
    seen[raw(a.name[i])] = true;
    mark(r.calls.start[links.call_of[i]]);
  }
  for (size_t i = 0; i < r.calls.size(); ++i)
    if (trace::class_of(r.calls.call[i]) == trace::CallClass::Module &&
        r.threads[raw(r.calls.thread[i])].process == steps.process)
      mark(r.calls.start[i]);
  return cold;
}

// The first steps until nothing is new and none takes longer than the slow ones of the second half;
// a calm step between two that are not does not end it.
uint32_t warmup_of(const Recording& r, const Links& links, const Steps& steps) {
  const auto n = static_cast<uint32_t>(steps.count());
  const std::vector<int64_t> d = durations(steps.boundary);
  const std::vector<bool> cold = cold_steps(r, links, steps);
  const int64_t slow = quantile(durations(steps.boundary, n / 2), kSlow);
  const auto settled = static_cast<int64_t>(kSettled * static_cast<double>(slow));
  uint32_t warmup = 1;
  for (uint32_t i = 1; i < std::min(n / 2, kMostWarmup) && i <= warmup + 1; ++i)
    if (cold[i] || d[i] > settled) warmup = i + 1;
  return std::min(warmup, n > 1 ? n - 1 : 0);
}

// Where the boundaries are beginnings, the last iteration has no end of its own: what is launched
// after the last of them is a step if it takes the device about as long as one.
bool close_last_step(const Recording& r, const std::vector<TraceTime>& launches, Steps& steps) {
  const TraceTime last_launch = launches.back();
  if (steps.count() < 2 || last_launch <= steps.boundary.back()) return false;
  TraceTime end = INT64_MIN;
  for (size_t i = 0; i < r.activities.size(); ++i)
    if (r.queues[raw(r.activities.queue[i])].process == steps.process)
      end = std::max(end, r.activities.end[i]);
  const auto usual = static_cast<double>(quantile(durations(steps.device_boundary), 0.5));
  const auto rest = static_cast<double>(end - steps.device_boundary.back());
  if (rest <= usual / kSettled || rest >= usual * kSettled) return false;
  steps.boundary.push_back(last_launch + 1);
  return true;
}

// Steps at the end that took the device no time at all: its records of them were not written any
// more when the process was killed. The host's steps alone are no steps to count idle time by.
void drop_unrecorded(Steps& steps) {
  while (steps.count() > 0 &&
         steps.device_boundary[steps.count()] == steps.device_boundary[steps.count() - 1]) {
    steps.boundary.pop_back();
    steps.device_boundary.pop_back();
  }
  steps.warmup = std::min(steps.warmup, static_cast<uint32_t>(steps.count()));
}

// The best evidence that holds.
std::optional<StepCandidate> first_regular(const Recording& r, const Links& links,
                                           const StackFacts& facts, ProcessIndex process,
                                           const std::vector<TraceTime>& launches) {
  for (uint8_t e = 0; e < static_cast<uint8_t>(StepEvidence::Count); ++e)
    for (StepCandidate& candidate :
         step_candidates(r, links, facts, process, static_cast<StepEvidence>(e)))
      if (candidate.annotated || is_regular(candidate.boundary, launches))
        return std::move(candidate);
  return {};
}

// By process, in the order of time. Calls are so by thread: each one's are merged to what is there.
std::vector<std::vector<TraceTime>> launches_of(const Recording& r, const Links& links) {
  std::vector<std::vector<TraceTime>> launches(r.processes.size());
  const Calls& c = r.calls;
  for (size_t i = 0; i < c.size();) {
    const ThreadIndex thread = c.thread[i];
    std::vector<TraceTime>& of = launches[raw(r.threads[raw(thread)].process)];
    const auto before = static_cast<ptrdiff_t>(of.size());
    for (; i < c.size() && c.thread[i] == thread; ++i)
      if (links.activity_of[i] != kNoIndex) of.push_back(c.start[i]);
    std::inplace_merge(of.begin(), of.begin() + before, of.end());
  }
  return launches;
}

}  // namespace

std::vector<Steps> find_steps(const Recording& r, const Links& links, const StackFacts& facts) {
  const std::vector<std::vector<TraceTime>> launches = launches_of(r, links);
  std::vector<Steps> result;
  for (uint32_t p = 0; p < r.processes.size(); ++p) {
    if (launches[p].empty()) continue;
    std::optional<StepCandidate> found =
        first_regular(r, links, facts, ProcessIndex(p), launches[p]);
    if (!found) continue;
    Steps steps;
    steps.process = ProcessIndex(p);
    steps.boundary = std::move(found->boundary);
    steps.basis = std::move(found->basis);
    steps.warmup = warmup_of(r, links, steps);
    place_on_device(r, links, steps);
    if (!found->closed && close_last_step(r, launches[p], steps)) place_on_device(r, links, steps);
    drop_unrecorded(steps);
    if (steps.count() == 0) continue;
    // Only warm-up has device work: nothing is steady.
    while (steps.warmup > 0 && steps.device_boundary[steps.warmup] == steps.device_boundary.back())
      --steps.warmup;
    result.push_back(std::move(steps));
  }
  return result;
}

void place_on_device(const Recording& r, const Links& links, Steps& steps) {
  // Work asked for before a boundary ends at the latest then; an end never lies before the one of
  // the boundary before.
  const Activities& a = r.activities;
  std::vector<TraceTime> end(steps.boundary.size(), INT64_MIN);
  TraceTime first = INT64_MAX;
  for (size_t i = 0; i < a.size(); ++i) {
    if (r.queues[raw(a.queue[i])].process != steps.process) continue;
    first = std::min(first, a.start[i]);
    if (links.call_of[i] == kNoIndex) continue;
    const TraceTime asked = r.calls.start[links.call_of[i]];
    const auto after = std::upper_bound(steps.boundary.begin(), steps.boundary.end(), asked);
    if (after == steps.boundary.end()) continue;
    TraceTime& latest = end[static_cast<size_t>(after - steps.boundary.begin())];
    latest = std::max(latest, a.end[i]);
  }
  steps.device_boundary.clear();
  TraceTime reached = first == INT64_MAX ? 0 : first;
  for (TraceTime e : end) {
    reached = std::max(reached, e);
    steps.device_boundary.push_back(reached);
  }
}

}  // namespace gpustall::collect
