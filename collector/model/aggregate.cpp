#include "collector/model/aggregate.h"

#include <algorithm>

#include "collector/model/busy_object.h"

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

WindowRows::WindowRows(const Recording& recording, const Analysis& analysis, size_t timeline,
                       const WindowRange& range)
    : r_(recording),
      a_(analysis),
      device_(analysis.timelines[timeline].device),
      range_(range),
      idle_(range.boundaries),
      alternatives_(range.boundaries) {
  add_idle();
}

WindowRows::WindowRows(const WindowRange& whole, const WindowRows& first, const WindowRows& second)
    : r_(first.r_),
      a_(first.a_),
      device_(first.device_),
      range_(whole),
      idle_(whole.boundaries),
      alternatives_(whole.boundaries),
      idle_ns_(first.idle_ns_ + second.idle_ns_) {
  const size_t edges = first.range_.boundaries.size();
  const auto steps = static_cast<uint32_t>(edges > 1 ? edges - 1 : 0);
  idle_.append(first.idle_, 0);
  idle_.append(second.idle_, steps);
  alternatives_.append(first.alternatives_, 0);
  alternatives_.append(second.alternatives_, steps);
}

// The slices of the device that reach into the window.
void WindowRows::add_idle() {
  const Gaps& gaps = a_.gaps;
  const Slices& slices = a_.slices;
  for (uint32_t g = 0; g < gaps.size(); ++g) {
    if (gaps.device[g] != device_ || gaps.end[g] <= range_.start || gaps.start[g] >= range_.end)
      continue;
    for (uint32_t s = gaps.first_slice[g]; s < gaps.first_slice[g + 1]; ++s) {
      const TraceTime start = std::max(slices.start[s], range_.start);
      const TraceTime end = std::min(slices.end[s], range_.end);
      if (end <= start) continue;
      idle_.add({slices.cause[s],
                 slices.site[s],
                 {},
                 slices.group[s],
                 slices.also(s),
                 slices.stack[s],
                 g,
                 start,
                 end,
                 slices.object[s]});
      idle_ns_ += end - start;
      const OtherRepair* other = slices.other_of(s);
      if (other == nullptr || !other->placed) continue;
      alternatives_.add({other->cause,
                         other->site,
                         {},
                         other->group,
                         bit_of(slices.cause[s]),
                         other->stack,
                         g,
                         start,
                         end,
                         {}});
    }
  }
}

Window WindowRows::finish() {
  const size_t steps = range_.boundaries.size() > 1 ? range_.boundaries.size() - 1 : 0;
  Window window;
  window.span_ns = range_.end - range_.start;
  window.idle_ns = idle_ns_;
  OpenRows busy(range_.boundaries);
  BusyObjects objects;
  add_busy(r_, a_, device_, range_, busy, window, objects);
  window.busy_ns = window.span_ns - window.idle_ns;
  window.compute_ns = window.busy_ns - window.exposed_copy_ns - window.exposed_collective_ns;
  window.causes = finished_rows(r_, a_, idle_, steps);
  window.busy_causes = finished_rows(r_, a_, busy, steps);
  window.alternatives = finished_rows(r_, a_, alternatives_, steps);
  for (size_t i = 0; i < window.busy_causes.size(); ++i) {  // in the same order as the open rows
    const RowPart& part = busy.rows()[i].first;
    if (part.cause != Cause::DeviceCollective)
      window.busy_causes[i].object = objects.text(part.cause, part.site, part.object);
  }
  return window;
}

}  // namespace gpustall::collect
