#include "collector/model/aggregate.h"

#include <algorithm>

#include "collector/model/busy_object.h"
#include "collector/model/rows.h"

namespace gpustall::collect {
namespace {

// Rows that keep their time per step: the rest are too small to be looked at step by step, and a
// saved model stays small.
constexpr size_t kMostRowsWithSteps = 200, kFewestRowsWithSteps = 10, kStepNumbers = 400'000;

std::vector<std::string> frames_of(const Recording& r, StackId stack) {
  std::vector<std::string> frames;
  for (StackId at = stack; raw(at) < r.stacks.size(); at = r.stacks[raw(at)].parent) {
    const Frame& f = r.frames[raw(r.stacks[raw(at)].frame)];
    frames.push_back(std::string(r.text(f.file)) + ":" + std::to_string(f.line) + " " +
                     std::string(r.text(f.function)));
  }
  std::reverse(frames.begin(), frames.end());
  return frames;
}

std::vector<Cause> also_of(const OpenRow& row) {
  std::vector<Cause> also;
  for (unsigned c = 0; c < kCauseCount; ++c)
    if (row.also[c] * 10 >= row.ns && row.also[c] > 0) also.push_back(static_cast<Cause>(c));
  std::sort(also.begin(), also.end(), [&](Cause a, Cause b) {
    return row.also[static_cast<unsigned>(a)] > row.also[static_cast<unsigned>(b)];
  });
  return also;
}

CauseRow finished(const Recording& r, const Analysis& analysis, OpenRow& row, size_t steps) {
  CauseRow out;
  out.cause = row.first.cause;
  if (raw(row.first.site) < analysis.sites.size())
    out.site = model_site(r, analysis.sites[raw(row.first.site)]);
  out.object = r.text(raw(row.label) != 0 ? row.label : row.first.object);
  out.also = also_of(row);
  out.group = row.first.group;
  out.ns = row.ns;
  out.count = row.count;
  out.every_steps = period_of(row.per_step, steps);
  if (steps > 0) {
    int64_t in_steps = 0;
    for (const StepShare& share : row.per_step) in_steps += share.ns;
    out.per_step_ns = in_steps / static_cast<int64_t>(steps);
  }
  out.stack = frames_of(r, row.stack);
  return out;
}

std::vector<CauseRow> finished_rows(const Recording& r, const Analysis& analysis, OpenRows& open,
                                    size_t steps) {
  std::vector<OpenRow>& rows = open.rows();
  std::stable_sort(rows.begin(), rows.end(),
                   [](const OpenRow& a, const OpenRow& b) { return a.ns > b.ns; });
  const size_t with_steps =
      steps == 0 ? 0 : std::clamp(kStepNumbers / steps, kFewestRowsWithSteps, kMostRowsWithSteps);
  std::vector<CauseRow> out;
  for (OpenRow& row : rows) {
    out.push_back(finished(r, analysis, row, steps));
    if (out.size() > with_steps) continue;
    out.back().per_step.resize(steps);
    for (const StepShare& share : row.per_step) out.back().per_step[share.step] = share.ns;
  }
  return out;
}

// The slices of one device that reach into the window.
void add_idle(const Analysis& a, DeviceIndex device, const WindowRange& range, OpenRows& rows,
              OpenRows& alternatives, Window& window) {
  const Gaps& gaps = a.gaps;
  for (size_t g = 0; g < gaps.size(); ++g) {
    if (gaps.device[g] != device || gaps.end[g] <= range.start || gaps.start[g] >= range.end)
      continue;
    for (uint32_t s = gaps.first_slice[g]; s < gaps.first_slice[g + 1]; ++s) {
      const TraceTime start = std::max(a.slices.start[s], range.start);
      const TraceTime end = std::min(a.slices.end[s], range.end);
      if (end <= start) continue;
      rows.add({a.slices.cause[s],
                a.slices.site[s],
                {},
                a.slices.group[s],
                a.slices.also(s),
                a.slices.stack[s],
                static_cast<uint32_t>(g),
                start,
                end,
                a.slices.object[s]});
      window.idle_ns += end - start;
      const OtherRepair* other = a.slices.other_of(s);
      if (other == nullptr || !other->placed) continue;
      alternatives.add({other->cause,
                        other->site,
                        {},
                        other->group,
                        uint64_t{1} << static_cast<unsigned>(a.slices.cause[s]),
                        other->stack,
                        static_cast<uint32_t>(g),
                        start,
                        end,
                        {}});
    }
  }
}

void add_busy(const Recording& r, const Analysis& a, DeviceIndex device, const WindowRange& range,
              OpenRows& rows, Window& window, BusyObjects& objects) {
  const BusySlices& b = a.busy_slices;
  for (size_t i = 0; i < b.size(); ++i) {
    const TraceTime start = std::max(b.start[i], range.start);
    const TraceTime end = std::min(b.end[i], range.end);
    if (b.device[i] != device || end <= start) continue;
    const bool collective = b.cause[i] == Cause::DeviceCollective;
    (collective ? window.exposed_collective_ns : window.exposed_copy_ns) += end - start;
    const StringId object = collective ? b.object[i] : objects.key_of(r, b.activity[i]);
    rows.add({b.cause[i], b.site[i], object, 0, 0, b.stack[i], b.activity[i], start, end, {}});
    if (!collective) objects.add(r, b.cause[i], b.site[i], object, b.activity[i]);
  }
}

}  // namespace

ModelSite model_site(const Recording& recording, const Site& site) {
  ModelSite out;
  out.file = recording.text(site.file);
  out.function = recording.text(site.function);
  out.line = site.line;
  out.is_def = recording.lines_are_defs;
  return out;
}

Window aggregate_window(const Recording& recording, const Analysis& analysis, size_t timeline,
                        const WindowRange& range) {
  const DeviceIndex device = analysis.timelines[timeline].device;
  const size_t steps = range.boundaries.size() > 1 ? range.boundaries.size() - 1 : 0;
  Window window;
  window.span_ns = range.end - range.start;
  OpenRows idle(range.boundaries), alternatives(range.boundaries), busy(range.boundaries);
  BusyObjects objects;
  add_idle(analysis, device, range, idle, alternatives, window);
  add_busy(recording, analysis, device, range, busy, window, objects);
  window.busy_ns = window.span_ns - window.idle_ns;
  window.compute_ns = window.busy_ns - window.exposed_copy_ns - window.exposed_collective_ns;
  window.causes = finished_rows(recording, analysis, idle, steps);
  window.busy_causes = finished_rows(recording, analysis, busy, steps);
  window.alternatives = finished_rows(recording, analysis, alternatives, steps);
  for (size_t i = 0; i < window.busy_causes.size(); ++i) {  // in the same order as the open rows
    const RowPart& part = busy.rows()[i].first;
    if (part.cause != Cause::DeviceCollective)
      window.busy_causes[i].object = objects.text(part.cause, part.site, part.object);
  }
  return window;
}

}  // namespace gpustall::collect
