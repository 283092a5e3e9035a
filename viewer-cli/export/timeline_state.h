// What the parts of a timeline share while it is written.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "collector/analyze/idle_workers.h"
#include "collector/analyze/link.h"
#include "collector/model.h"
#include "viewer-cli/export/event_text.h"
#include "viewer-cli/export/selection.h"
#include "viewer-cli/export/strings.h"
#include "viewer-cli/export/track_ids.h"

namespace gpustall::cli {

class Arrows;

// Rows of each kind that the timeline holds, or that a recording has.
struct RowCounts {
  uint64_t activities = 0, calls = 0, waits = 0, ranges = 0, stack_frames = 0;
  uint64_t too_many_at_once = 0;  // beyond the lanes that a track may have
  uint64_t grouped_gaps = 0;      // drawn in groups
};

// What does not change from one selection to the next.
struct TimelineInput {
  const collect::Recording& recording;
  const collect::Analysis& analysis;
  const collect::Model& model;  // for gains
  collect::Links links;
  ExportClock clock;
  TrackIds ids;
  ExportStrings strings;
  std::vector<collect::IdleWorkers> idle_workers;
  std::vector<const collect::Steps*> steps_of;  // by device: those that cut its time; null: none

  TimelineInput(const collect::Recording& r, const collect::Analysis& a, const collect::Model& m);
};

// For viewers, with the causes; or the rows that torch.profiler would have written, for its tools.
enum class Dialect { Viewer, Torch };

struct TimelineState {
  TimelineInput& in;
  const Selection& selection;  // of single events
  const Selection& summary;    // of causes and steps
  Arrows& arrows;
  EventText out;
  Dialect dialect = Dialect::Viewer;
  RowCounts counts;
  std::vector<bool> used_stacks;  // by StackId: named by a row

  void use(collect::StackId stack) {
    if (raw(stack) < used_stacks.size()) used_stacks[raw(stack)] = true;
  }
  // Names a track where its first row is written. `sort`: its place among those of its process.
  void name_track(Track track, const std::string& name, int64_t sort) {
    out.metadata("thread_name", track, "name", json_quoted(name));
    out.metadata("thread_sort_index", track, "sort_index", std::to_string(sort));
  }
};

// The parts, in the order in which they are written. Arrows are written where they end, on devices,
// and must know by then where they begin, on threads.
void write_threads(TimelineState& state);
void write_activities(TimelineState& state);
void write_causes(TimelineState& state);
void write_steps(TimelineState& state);
void write_queue_depth(TimelineState& state);
void write_cards(TimelineState& state);
void write_idle_workers(TimelineState& state);
}  // namespace gpustall::cli
