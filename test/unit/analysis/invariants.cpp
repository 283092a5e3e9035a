#include "test/unit/analysis/invariants.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "collector/model.h"

namespace gpustall::test {
namespace {

using namespace collect;

void must(bool ok, const std::string& what) {
  if (!ok) throw std::logic_error("invariant broken: " + what);
}

// Busy time the slow way: sort, merge, add.
struct Recount {
  TraceTime first = INT64_MAX, last = INT64_MIN;
  int64_t busy = 0;
};
Recount recount(const Recording& r, DeviceIndex device) {
  std::vector<std::pair<TraceTime, TraceTime>> intervals;
  Recount out;
  for (size_t i = 0; i < r.activities.size(); ++i) {
    if (r.device_of(i) != device) continue;
    intervals.emplace_back(r.activities.start[i], r.activities.end[i]);
    out.first = std::min(out.first, r.activities.start[i]);
    out.last = std::max(out.last, r.activities.end[i]);
  }
  std::sort(intervals.begin(), intervals.end());
  TraceTime until = INT64_MIN;
  for (const auto& [start, end] : intervals) {
    const TraceTime from = std::max(start, until);
    if (end > from) out.busy += end - from;
    until = std::max(until, end);
  }
  return out;
}

void check_device(const Recording& r, const Analysis& a, const DeviceTimeline& line) {
  const Recount truth = recount(r, line.device);
  must(line.first == truth.first && line.last == truth.last, "span");
  must(line.busy_ns == truth.busy,
       "busy " + std::to_string(line.busy_ns) + " for " + std::to_string(truth.busy));
  must(line.compute_ns + line.exposed_copy_ns + line.exposed_collective_ns == line.busy_ns,
       "the split of busy");
  int64_t gaps = 0, slices = 0, exposed = 0;
  for (size_t g = 0; g < a.gaps.size(); ++g)
    if (a.gaps.device[g] == line.device) gaps += a.gaps.end[g] - a.gaps.start[g];
  for (size_t s = 0; s < a.slices.size(); ++s)
    if (a.gaps.device[a.slices.gap[s]] == line.device)
      slices += a.slices.end[s] - a.slices.start[s];
  for (size_t i = 0; i < a.busy_slices.size(); ++i)
    if (a.busy_slices.device[i] == line.device)
      exposed += a.busy_slices.end[i] - a.busy_slices.start[i];
  must(gaps == line.idle_ns(), "gaps");
  must(slices == line.idle_ns(), "slices");
  must(exposed == line.exposed_copy_ns + line.exposed_collective_ns, "busy slices");
}

void check_tiling(const Analysis& a) {
  must(a.gaps.first_slice.size() == a.gaps.size() + 1, "first_slice");
  for (size_t g = 0; g < a.gaps.size(); ++g) {
    TraceTime at = a.gaps.start[g];
    must(a.gaps.end[g] > at, "an empty gap");
    for (uint32_t s = a.gaps.first_slice[g]; s < a.gaps.first_slice[g + 1]; ++s) {
      must(a.slices.gap[s] == g && a.slices.start[s] == at && a.slices.end[s] > at, "tiling");
      at = a.slices.end[s];
    }
    must(at == a.gaps.end[g], "a gap is not covered");
  }
}

int64_t sum(const std::vector<CauseRow>& rows) {
  int64_t total = 0;
  for (const CauseRow& row : rows) total += row.ns;
  return total;
}

void check_window(const Window& w) {
  must(w.busy_ns + w.idle_ns == w.span_ns, "busy + idle = span in a window");
  must(sum(w.causes) == w.idle_ns, "causes of a window");
  must(w.compute_ns + w.exposed_copy_ns + w.exposed_collective_ns == w.busy_ns, "busy of a window");
  must(sum(w.busy_causes) == w.exposed_copy_ns + w.exposed_collective_ns, "busy causes");
}

void check_model(const Recording& r, const Analysis& a) {
  const Model model = build_model(r, a);
  must(model.devices.size() == a.timelines.size(), "devices of the model");
  for (const ModelDevice& d : model.devices) {
    check_window(d.whole);
    if (!d.steady) continue;
    check_window(*d.warmup);
    check_window(*d.steady);
    must(d.warmup->span_ns + d.steady->span_ns == d.whole.span_ns, "windows add up: span");
    must(d.warmup->idle_ns + d.steady->idle_ns == d.whole.idle_ns, "windows add up: idle");
    must(d.warmup->compute_ns + d.steady->compute_ns == d.whole.compute_ns, "windows: compute");
  }
  const std::string text = to_json(model);
  const Result<Model> again = from_json(text);
  must(bool(again), "a model's JSON can be read: " + (again ? "" : again.error().message));
  must(to_json(*again) == text, "JSON round trip");
}

}  // namespace

void check_invariants(const Recording& recording, const Analysis& analysis) {
  for (const DeviceTimeline& line : analysis.timelines) check_device(recording, analysis, line);
  check_tiling(analysis);
  check_model(recording, analysis);
}

Analysis checked_analysis(const Recording& recording) {
  Analysis analysis = analyze(recording);
  check_invariants(recording, analysis);
  return analysis;
}

}  // namespace gpustall::test
