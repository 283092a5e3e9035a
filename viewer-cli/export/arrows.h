// Arrows from what the host did to the idle time that it caused, and from a launch to the work that
// ended a gap: forward in time, since Perfetto drops others. Only the longest slices have one: a
// million of arrows help nobody.
#pragma once
#include <unordered_map>

#include "viewer-cli/export/timeline_state.h"

namespace gpustall::cli {

class Arrows {
 public:
  Arrows(TimelineInput& in, const Selection& selection);

  struct End {
    int64_t time = 0;    // of the timeline
    uint32_t arrow = 0;  // index into arrows_
  };
  // The ends wanted on a thread, in the order of time.
  const std::vector<End>& wanted(collect::ThreadIndex thread) const {
    return by_thread_[raw(thread)];
  }
  bool is_bound(uint32_t arrow) const { return arrows_[arrow].bound; }
  // A slice of the track is open at the time of the end.
  void bind(const End& end, Track track);
  // A call that a launch arrow may begin at was written to the track of its thread.
  bool wants_call(size_t call) const { return !calls_.empty() && calls_[call] == Call::Wanted; }
  void call_written(size_t call) { calls_[call] = Call::Written; }

  // After the slice, and after the work, that the arrow ends at were written.
  void write_to_slice(TimelineState& state, uint32_t slice, Track track, int64_t start) const;
  void write_to_activity(TimelineState& state, uint32_t activity, Track track, int64_t time) const;

 private:
  enum class Call : uint8_t { NotWanted, Wanted, Written };
  struct Arrow {
    uint32_t slice = 0;
    collect::ThreadIndex thread{};
    int64_t time = 0;
    Track track;
    bool bound = false;
  };
  void add(TimelineInput& in, uint32_t slice);
  void find_evidence(const TimelineInput& in);

  std::vector<Arrow> arrows_;
  std::vector<std::vector<End>> by_thread_;
  std::unordered_map<uint32_t, uint32_t> of_slice_, of_closing_;  // to arrow; activity to call
  std::vector<Call> calls_;
};

}  // namespace gpustall::cli
