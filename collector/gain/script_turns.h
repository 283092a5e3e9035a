// The order of a script: the segments of all threads by their recorded end; a wait also has a turn
// where it begins, before what others do meanwhile. At one time the lower thread comes first.
#pragma once
#include <vector>

#include "collector/analyze/thread_segments.h"

namespace gpustall::collect {

struct ScriptTurn {
  TraceTime at = 0;
  uint32_t segment = 0;
  ThreadIndex thread{};
  bool enters = false;  // a wait; else the segment ends
};

// Merges the threads, which are in order each, one turn at a time: a long recording's turns are
// never all there at once. Keeps a reference to the segments.
class ScriptTurns {
 public:
  explicit ScriptTurns(const ThreadSegments& segments);
  // False behind the last one.
  bool next(ScriptTurn& turn);

 private:
  bool seek(ScriptTurn& turn) const;
  bool advance(ScriptTurn& turn) const;
  static bool later(const ScriptTurn& a, const ScriptTurn& b) {
    return a.at != b.at ? a.at > b.at : a.thread > b.thread;
  }

  const ThreadSegments& s_;
  std::vector<ScriptTurn> others_;  // a heap: the next turn of each thread but one
  ScriptTurn current_;              // of that one
  bool any_ = false;
};

}  // namespace gpustall::collect
