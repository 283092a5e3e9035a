#include "collector/gain/script_turns.h"

#include <algorithm>

namespace gpustall::collect {

ScriptTurns::ScriptTurns(const ThreadSegments& segments) : s_(segments) {
  for (uint32_t t = 0; t + 1 < s_.first.size(); ++t) {
    ScriptTurn first{0, s_.first[t], ThreadIndex(t), false};
    if (seek(first)) others_.push_back(first);
  }
  std::make_heap(others_.begin(), others_.end(), later);
  any_ = !others_.empty();
  if (!any_) return;
  std::pop_heap(others_.begin(), others_.end(), later);
  current_ = others_.back();
  others_.pop_back();
}

// To the first turn of its segment.
bool ScriptTurns::seek(ScriptTurn& turn) const {
  if (turn.segment == s_.first[raw(turn.thread) + 1]) return false;
  turn.enters = s_.kind[turn.segment] == SegmentKind::Wait;
  turn.at = turn.enters ? s_.start[turn.segment] : s_.end[turn.segment];
  return true;
}

bool ScriptTurns::advance(ScriptTurn& turn) const {
  if (turn.enters) {
    turn.enters = false;
    turn.at = s_.end[turn.segment];
    return true;
  }
  ++turn.segment;
  return seek(turn);
}

bool ScriptTurns::next(ScriptTurn& turn) {
  if (!any_) return false;
  turn = current_;
  const bool more = advance(current_);
  if (others_.empty()) {
    any_ = more;
    return true;
  }
  if (more && !later(current_, others_.front())) return true;  // mostly: one thread does most
  std::pop_heap(others_.begin(), others_.end(), later);
  std::swap(current_, others_.back());
  if (more)
    std::push_heap(others_.begin(), others_.end(), later);
  else
    others_.pop_back();
  return true;
}

}  // namespace gpustall::collect
