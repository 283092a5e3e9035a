#include "viewer-cli/export/tables.h"

#include <algorithm>

#include "viewer-cli/export/step_cursor.h"
#include "viewer-cli/export/table_key.h"

namespace gpustall::cli {

namespace {

using namespace collect;  // NOLINT: all of this is about the collector's tables

constexpr std::string_view kGapColumns[] = {"schema", "host",   "rank",      "device", "gpu_uuid",
                                            "gap",    "step",   "start_ns",  "end_ns", "idle_ns",
                                            "before", "slices", "main_cause"};
constexpr std::string_view kSliceColumns[] = {"schema", "host",   "rank",     "device", "gpu_uuid",
                                              "gap",    "step",   "start_ns", "end_ns", "idle_ns",
                                              "cause",  "family", "file",     "line",   "function",
                                              "object", "also",   "group",    "stack"};
constexpr std::string_view kStepColumns[] = {
    "schema",   "host",   "rank",    "device",  "gpu_uuid", "pid",           "step",   "warmup",
    "start_ns", "end_ns", "span_ns", "busy_ns", "idle_ns",  "host_start_ns", "host_ns"};

void step_value(TableText& out, int64_t step) {
  step > 0 ? out.value(step) : out.none();
}

std::string_view work_name(TimelineInput& in, uint32_t activity) {
  if (activity >= in.recording.activities.size()) return {};
  const std::string& name = in.strings.text(in.recording.activities.name[activity]);
  if (!name.empty()) return name;
  static constexpr std::string_view kKinds[] = {"kernel", "copy", "fill", "graph"};
  return kKinds[static_cast<size_t>(in.recording.activities.kind[activity])];
}

// The cause with most of the gap's time.
Cause main_cause(const Analysis& a, size_t gap) {
  int64_t sums[kCauseCount] = {};
  for (uint32_t s = a.gaps.first_slice[gap]; s < a.gaps.first_slice[gap + 1]; ++s)
    sums[static_cast<size_t>(a.slices.cause[s])] += a.slices.end[s] - a.slices.start[s];
  return static_cast<Cause>(std::max_element(sums, sums + kCauseCount) - sums);
}

// Goes through the wanted devices' gaps in order, with their steps.
template <typename Row>
void each_gap(TimelineInput& in, const TableWish& wish, Row&& row) {
  const Gaps& gaps = in.analysis.gaps;
  for (size_t g = 0; g < gaps.size();) {
    const DeviceIndex device = gaps.device[g];
    StepCursor step(in, device);
    for (; g < gaps.size() && gaps.device[g] == device; ++g)
      if (is_wanted(in, wish, device)) row(g, step);
  }
}

void write_gaps(TimelineInput& in, const TableWish& wish, TextSink& sink) {
  TableText out(sink, wish.format, "gaps", kGapColumns);
  const DeviceKeys keys(in);
  const Gaps& gaps = in.analysis.gaps;
  each_gap(in, wish, [&](size_t g, StepCursor& step) {
    keys.write(out, gaps.device[g]);
    out.value(static_cast<int64_t>(g));
    step_value(out, step.at(gaps.start[g]));
    out.value(gaps.start[g]);
    out.value(gaps.end[g]);
    out.value(gaps.end[g] - gaps.start[g]);
    out.value(work_name(in, gaps.closing[g]));
    out.value(gaps.first_slice[g + 1] - gaps.first_slice[g]);
    out.value(text_of(main_cause(in.analysis, g)).id);
    out.end_row();
  });
}

std::string also_text(uint64_t also) {
  std::string text;
  for (unsigned c = 0; c < kCauseCount; ++c)
    if (also >> c & 1) text += (text.empty() ? "" : ";") + std::string(kCauses[c].id);
  return text;
}

std::string stack_text(TimelineInput& in, StackId stack) {
  std::vector<FrameId> frames;
  for (StackId at = stack; raw(at) < in.recording.stacks.size();
       at = in.recording.stacks[raw(at)].parent)
    frames.push_back(in.recording.stacks[raw(at)].frame);
  std::string text;
  for (size_t i = frames.size(); i-- > 0;) {
    const Frame& frame = in.recording.frames[raw(frames[i])];
    text += (text.empty() ? "" : ";") + in.strings.frame_place(frames[i]) + " " +
            in.strings.text(frame.function);
  }
  return text;
}

void write_slices(TimelineInput& in, const TableWish& wish, TextSink& sink) {
  TableText out(sink, wish.format, "slices", kSliceColumns);
  const DeviceKeys keys(in);
  const Gaps& gaps = in.analysis.gaps;
  const Slices& slices = in.analysis.slices;
  each_gap(in, wish, [&](size_t g, StepCursor& step) {
    for (uint32_t s = gaps.first_slice[g]; s < gaps.first_slice[g + 1]; ++s) {
      keys.write(out, gaps.device[g]);
      out.value(static_cast<int64_t>(g));
      step_value(out, step.at(slices.start[s]));
      out.value(slices.start[s]);
      out.value(slices.end[s]);
      out.value(slices.end[s] - slices.start[s]);
      out.value(text_of(slices.cause[s]).id);
      out.value(family_name(slices.cause[s]));
      write_site(out, in, slices.site[s]);
      out.value(std::string_view(in.strings.text(slices.object[s])));
      out.value(std::string_view(also_text(slices.also(s))));
      step_value(out, slices.group[s]);
      out.value(std::string_view(stack_text(in, slices.stack[s])));
      out.end_row();
    }
  });
}

void write_steps_table(TimelineInput& in, const TableWish& wish, TextSink& sink) {
  TableText out(sink, wish.format, "steps", kStepColumns);
  const DeviceKeys keys(in);
  const Analysis& a = in.analysis;
  for (size_t t = 0; t < a.timelines.size() && t < in.model.devices.size(); ++t) {
    const DeviceIndex device = a.timelines[t].device;
    const Steps* steps = in.steps_of[raw(device)];
    if (steps == nullptr || !is_wanted(in, wish, device)) continue;
    const collect::ModelDevice& model = in.model.devices[t];
    for (size_t i = 0; i < steps->count() && i < model.step_span_ns.size(); ++i) {
      keys.write(out, device);
      out.value(in.recording.processes[raw(steps->process)].pid);
      out.value(static_cast<int64_t>(i + 1));
      out.value(int64_t{i < steps->warmup});
      out.value(steps->device_boundary[i]);
      out.value(steps->device_boundary[i + 1]);
      out.value(model.step_span_ns[i]);
      out.value(model.step_busy_ns[i]);
      out.value(model.step_span_ns[i] - model.step_busy_ns[i]);
      out.value(steps->boundary[i]);
      out.value(steps->boundary[i + 1] - steps->boundary[i]);
      out.end_row();
    }
  }
}

}  // namespace

DeviceKeys::DeviceKeys(const TimelineInput& in) : in_(in), rank_(in.recording.devices.size(), -1) {
  std::vector<bool> seen(rank_.size());
  for (const Queue& queue : in.recording.queues) {
    const int32_t rank = in.recording.processes[raw(queue.process)].rank;
    int32_t& of = rank_[raw(queue.device)];
    of = seen[raw(queue.device)] && of != rank ? -1 : rank;
    seen[raw(queue.device)] = true;
  }
}

void DeviceKeys::write(TableText& out, DeviceIndex device) const {
  const Device& d = in_.recording.devices[raw(device)];
  out.value(int64_t{kTableSchema});
  out.value(std::string_view(valid_utf8(d.host)));
  rank_[raw(device)] >= 0 ? out.value(int64_t{rank_[raw(device)]}) : out.none();
  out.value(d.ordinal);
  out.value(std::string_view(valid_utf8(d.uuid)));
}

std::string_view family_name(Cause cause) {
  const std::string_view id = text_of(cause).id;
  return id.substr(0, id.find('.'));
}

void write_site(TableText& out, TimelineInput& in, SiteId id) {
  if (raw(id) >= in.analysis.sites.size()) {
    out.none();
    out.none();
    out.none();
    return;
  }
  const Site& site = in.analysis.sites[raw(id)];
  out.value(std::string_view(in.strings.text(site.file)));
  out.value(site.line);
  out.value(std::string_view(in.strings.text(site.function)));
}

bool is_wanted(const TimelineInput& in, const TableWish& wish, DeviceIndex device) {
  return !wish.device || in.recording.devices[raw(device)].ordinal == *wish.device;
}

void write_table(Table table, TimelineInput& in, const TableWish& wish, TextSink& sink) {
  switch (table) {
    case Table::Causes:
      return write_causes_table(in, wish, sink);
    case Table::Gaps:
      return write_gaps(in, wish, sink);
    case Table::Slices:
      return write_slices(in, wish, sink);
    case Table::Steps:
      return write_steps_table(in, wish, sink);
  }
}

}  // namespace gpustall::cli
