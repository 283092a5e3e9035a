#include "collector/analyze/overlay.h"

#include <algorithm>
#include <optional>

#include "collector/analyze/throttles.h"

namespace gpustall::collect {
namespace {

std::optional<Cause> cause_of(OverheadKind kind) {
  switch (kind) {
    case OverheadKind::ModuleLoad:
    case OverheadKind::LazyFunctionLoad:
      return Cause::ColdModule;
    case OverheadKind::DriverCompiler:
      return Cause::ColdCompile;
    case OverheadKind::BufferFlush:
    case OverheadKind::Instrumentation:
    case OverheadKind::Resource:
    case OverheadKind::BufferRequest:
      return Cause::ToolOverhead;
    case OverheadKind::CommandBufferFull:  // the queue is full: the device is not idle
    case OverheadKind::Unknown:
      break;
  }
  return {};
}

}  // namespace

void append_piece(HostPieces& out, const HostPiece& piece) {
  if (piece.end <= piece.start) return;
  if (!out.empty()) {
    HostPiece& last = out.back();
    if (last.end == piece.start && last.cause == piece.cause && last.stack == piece.stack &&
        last.stall == piece.stall && last.object == piece.object && last.own == piece.own) {
      last.end = piece.end;
      return;
    }
  }
  out.push_back(piece);
}

Overlays::Overlays(const Recording& recording) : by_thread_(recording.threads.size()) {
  const Ranges& ranges = recording.ranges;
  for (size_t i = 0; i < ranges.size(); ++i)
    if (ranges.kind[i] == RangeKind::Gc)
      by_thread_[raw(ranges.thread[i])].push_back({ranges.start[i], ranges.end[i], Cause::HostGc});
  for (const Overhead& o : recording.overheads)
    if (const auto cause = cause_of(o.kind); cause && o.thread != kNone<ThreadIndex>)
      by_thread_[raw(o.thread)].push_back({o.start, o.end, *cause});
  add_captures(recording.calls);
  add_throttles(recording);
  for (auto& list : by_thread_) list = disjoint(std::move(list));
}

// What is launched while a graph is captured does not run: it builds the graph.
void Overlays::add_captures(const Calls& calls) {
  size_t begin = calls.size();
  for (size_t i = 0; i < calls.size(); ++i) {
    if (calls.call[i] == trace::Call::StreamBeginCapture) begin = i;
    if (calls.call[i] != trace::Call::StreamEndCapture || begin == calls.size()) continue;
    if (calls.thread[begin] == calls.thread[i])
      by_thread_[raw(calls.thread[i])].push_back(
          {calls.start[begin], calls.end[i], Cause::ColdGraph});
    begin = calls.size();
  }
}

void Overlays::add_throttles(const Recording& recording) {
  for (const Throttle& t : find_throttles(recording))
    for (size_t thread = 0; thread < recording.threads.size(); ++thread)
      if (recording.threads[thread].process == t.process)
        by_thread_[thread].push_back({t.start, t.end, Cause::HostThrottled});
}

// By start, the inner one where they nest.
std::vector<Overlays::Interval> Overlays::disjoint(std::vector<Interval> all) {
  std::stable_sort(all.begin(), all.end(), [](const Interval& a, const Interval& b) {
    return a.start != b.start ? a.start < b.start : a.end > b.end;
  });
  std::vector<Interval> out, open;
  TraceTime at = 0;
  const auto until = [&](TraceTime time) {  // the innermost open one owns what has passed
    while (!open.empty()) {
      const Interval inner = open.back();
      const TraceTime end = std::min(inner.end, time);
      if (end > at) out.push_back({at, end, inner.cause});
      at = std::max(at, end);
      if (inner.end > time) return;
      open.pop_back();
    }
  };
  for (const Interval& next : all) {
    until(next.start);
    at = next.start;
    open.push_back(next);
  }
  until(INT64_MAX);
  return out;
}

void Overlays::append(ThreadIndex thread, const HostPieces& pieces, HostPieces& out) const {
  const auto& all = by_thread_[raw(thread)];
  for (HostPiece piece : pieces) {
    if (all.empty() || piece.stall != kNoIndex) {
      append_piece(out, piece);
      continue;
    }
    // The one before may still reach in.
    auto at = std::upper_bound(all.begin(), all.end(), piece.start,
                               [](TraceTime t, const Interval& i) { return t < i.start; });
    if (at != all.begin()) --at;
    for (; at != all.end() && at->start < piece.end; ++at) {
      if (at->end <= piece.start) continue;
      HostPiece before = piece, inside = piece;
      before.end = inside.start = std::max(piece.start, at->start);
      inside.end = std::min(piece.end, at->end);
      inside.cause = at->cause;
      append_piece(out, before);
      append_piece(out, inside);
      piece.start = inside.end;
    }
    append_piece(out, piece);
  }
}

}  // namespace gpustall::collect
