#include "viewer-cli/export/timeline.h"

#include <algorithm>

#include "viewer-cli/export/arrows.h"

namespace gpustall::cli {

namespace {

using namespace collect;  // NOLINT: all of this is about the collector's tables

// Passes on what is written and says how far it has come.
class WatchedSink : public TextSink {
 public:
  WatchedSink(TextSink& inner, std::function<void()> tick)
      : inner_(inner), tick_(std::move(tick)) {}
  void write(std::string_view text) override {
    inner_.write(text);
    tick_();
  }

 private:
  TextSink& inner_;
  std::function<void()> tick_;
};

}  // namespace

Timeline::Timeline(const Recording& recording, const Analysis& analysis, const Model& model,
                   std::string version)
    : in_(recording, analysis, model), version_(std::move(version)) {}

void Timeline::write(const TimelinePlan& plan, Dialect dialect, TextSink& sink,
                     const Progress& progress) {
  write_text(plan, dialect, sink, progress);
  sink.finish();
}

RowCounts Timeline::write_text(const TimelinePlan& plan, Dialect dialect, TextSink& sink,
                               const Progress& progress) {
  in_.ids.restart();
  Arrows arrows(in_, plan.details);
  const TimelineState* watched = nullptr;
  const double rows =
      static_cast<double>(in_.recording.activities.size() + in_.recording.calls.size() +
                          in_.recording.waits.size() + in_.recording.ranges.size() + 1);
  WatchedSink watch(sink, [&] {
    const RowCounts& c = watched->counts;
    if (progress) progress(static_cast<double>(c.activities + c.calls + c.waits + c.ranges) / rows);
  });
  TimelineState state{.in = in_,
                      .selection = plan.details,
                      .summary = plan.summary,
                      .arrows = arrows,
                      .out = EventText(watch),
                      .dialect = dialect,
                      .counts = {},
                      .used_stacks = std::vector<bool>(in_.recording.stacks.size())};
  watched = &state;
  write_header(plan, state);
  state.out.raw("\"traceEvents\":[");
  write_threads(state);
  write_activities(state);
  if (dialect == Dialect::Viewer) {
    write_causes(state);
    write_steps(state);
    write_queue_depth(state);
    write_cards(state);
    write_idle_workers(state);
  }
  state.out.raw("\n]");
  if (dialect == Dialect::Viewer) write_stack_frames(state);
  state.out.raw("}\n");
  state.out.flush();
  return state.counts;
}

// The frames that rows point at with "sf", and what is outside of them, each once.
void Timeline::write_stack_frames(TimelineState& state) {
  const Recording& r = in_.recording;
  for (size_t i = r.stacks.size(); i-- > 0;)  // parents come before children
    if (state.used_stacks[i]) state.use(r.stacks[i].parent);
  std::string row;
  bool first = true;
  state.out.raw(",\n\"stackFrames\":{");
  for (size_t i = 0; i < r.stacks.size(); ++i) {
    if (!state.used_stacks[i]) continue;
    const Frame& frame = r.frames[raw(r.stacks[i].frame)];
    row = first ? "\n" : ",\n";
    first = false;
    row += "\"" + std::to_string(i) + "\":{\"name\":";
    append_quoted(row, in_.strings.place(frame.file, frame.line, frame.function));
    if (raw(r.stacks[i].parent) < i)
      row += ",\"parent\":\"" + std::to_string(raw(r.stacks[i].parent)) + "\"";
    row += ",\"file\":" + in_.strings.json(frame.file);
    append_member(row, "line", frame.line);
    row += ",\"function\":" + in_.strings.json(frame.function) + "}";
    state.out.raw(row);
    if (i % 256 == 0) state.out.flush();
  }
  state.out.raw("}");
}

}  // namespace gpustall::cli
