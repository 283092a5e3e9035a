// A track with its extra lanes: gives each row the lane where it overlaps nothing, and names lanes
// when they get their first row.
#pragma once
#include "viewer-cli/export/lanes.h"
#include "viewer-cli/export/timeline_state.h"

namespace gpustall::cli {

class TrackLanes {
 public:
  TrackLanes(TimelineState& state, Lanes::Shape shape, Track first, std::string name, int64_t sort)
      : state_(state), lanes_(shape), first_(first), name_(std::move(name)), sort_(sort) {}

  // Where the row goes; null where too much overlaps. Rows come in the order of their start.
  const Track* place(int64_t start, int64_t end) {
    const size_t lane = lanes_.place(start, end);
    if (lane == Lanes::kNone) {
      ++state_.counts.too_many_at_once;
      return nullptr;
    }
    if (lane == tracks_.size()) open_lane(lane);
    return &tracks_[lane];
  }
  // For readers that take overlaps as they are.
  const Track* only() {
    if (tracks_.empty()) open_lane(0);
    return tracks_.data();
  }
  bool is_first(const Track* track) const { return track == tracks_.data(); }
  bool first_open_at(int64_t time) const { return lanes_.open_at(0, time); }

 private:
  void open_lane(size_t lane) {
    tracks_.reserve(Lanes::kMost);  // places that were handed out stay
    tracks_.push_back(lane == 0 ? first_ : Track{first_.pid, state_.in.ids.next()});
    state_.name_track(tracks_.back(),
                      lane == 0 ? name_ : name_ + ", lane " + std::to_string(lane + 1), sort_);
  }

  TimelineState& state_;
  Lanes lanes_;
  Track first_;
  std::string name_;
  int64_t sort_;
  std::vector<Track> tracks_;
};

}  // namespace gpustall::cli
