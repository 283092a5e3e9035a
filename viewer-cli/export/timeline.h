// A recording as Chrome's trace events: what Perfetto, chrome://tracing and torch.profiler's tools
// open. Times are microseconds with three decimals since baseTimeNanoseconds. What is no row of
// torch.profiler's stands in rows of gpustall_* categories and in the member "gpustall" of the file
// (SCHEMA.md).
#pragma once
#include <functional>

#include "viewer-cli/export/timeline_state.h"

namespace gpustall::cli {

struct TimelineWish {
  WindowWish window;
  std::string window_text;  // as the user wrote it
  std::optional<uint32_t> device;
  uint64_t max_bytes = 0;  // of the text, packed or not; 0: no limit
};

// What a file will hold.
struct TimelinePlan {
  Selection details, summary;
  std::string window_text;
  std::vector<std::string> left_out;  // sentences; empty: nothing, within the window
};

class Timeline {
 public:
  Timeline(const collect::Recording& recording, const collect::Analysis& analysis,
           const collect::Model& model, std::string version);

  // Everything that was wished for, if it fits; else all causes and steps, and what happened
  // around as many of the longest gaps as there is room for. Throws Failure.
  TimelinePlan plan(const TimelineWish& wish);
  // One plan per process with work on a device, for tools that take one file per rank.
  std::vector<std::pair<collect::ProcessIndex, TimelinePlan>> plans_of_ranks(
      std::optional<uint32_t> device);

  using Progress = std::function<void(double)>;
  void write(const TimelinePlan& plan, Dialect dialect, TextSink& sink,
             const Progress& progress = {});

 private:
  struct Sized {
    RowCounts counts;
    uint64_t bytes = 0;
    bool fits = false;
  };
  Sized size_of(const TimelinePlan& plan, uint64_t limit);
  RowCounts write_text(const TimelinePlan& plan, Dialect dialect, TextSink& sink,
                       const Progress& progress);
  void write_header(const TimelinePlan& plan, TimelineState& state) const;
  void write_stack_frames(TimelineState& state);
  void shrink_summary(TimelinePlan& plan, uint64_t bytes) const;
  void fit_details(TimelinePlan& plan, uint64_t limit);
  std::string what_is_left_out(const TimelinePlan& plan, const RowCounts& written,
                               const RowCounts& all, uint64_t limit) const;
  RowCounts all_rows(const Selection& selection) const;

  TimelineInput in_;
  std::string version_;
};

}  // namespace gpustall::cli
