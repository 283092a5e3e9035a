// What is known to have run on a thread in an interval, whatever else its events say: the garbage
// collector, module loading inside a launch, the capture of a graph, CUPTI's and our own work, and
// when the CPU quota stopped all of the process's threads.
#pragma once
#include <vector>

#include "collector/analyze/host_piece.h"

namespace gpustall::collect {

// Appends a piece, joined to the last one where they are the same.
void append_piece(HostPieces& out, const HostPiece& piece);

class Overlays {
 public:
  explicit Overlays(const Recording& recording);

  // Appends `pieces` of one thread, cut where an overlay owns the time. Waits for the device keep
  // theirs.
  void append(ThreadIndex thread, const HostPieces& pieces, HostPieces& out) const;

 private:
  struct Interval {
    TraceTime start, end;
    Cause cause;
  };
  void add_captures(const Calls& calls);
  void add_throttles(const Recording& recording);
  static std::vector<Interval> disjoint(std::vector<Interval> all);

  std::vector<std::vector<Interval>> by_thread_;  // by start, disjoint
};

}  // namespace gpustall::collect
