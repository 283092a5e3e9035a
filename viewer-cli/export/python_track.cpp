#include "viewer-cli/export/python_track.h"

#include <algorithm>

#include "viewer-cli/export/arrows.h"

namespace gpustall::cli {

namespace {

using namespace collect;  // NOLINT: all of this is about the collector's tables

constexpr size_t kDeepest = 256;
constexpr int64_t kUnseen = 20'000'000;  // ns: then nobody knows how long the function ran on

class PythonTrack {
 public:
  PythonTrack(TimelineState& state, ThreadIndex thread, const std::string& name, int64_t sort)
      : s_(state),
        r_(state.in.recording),
        thread_(thread),
        process_(r_.threads[raw(thread)].process),
        name_(name + ": Python stack, as last seen"),
        sort_(sort),
        selected_(state.selection) {
    track_.pid = s_.in.ids.of(process_);
  }

  void run(Rows calls, Rows waits, Rows samples) {
    for (;;) {
      const TraceTime call = calls.begin < calls.end ? r_.calls.start[calls.begin] : INT64_MAX;
      const TraceTime wait = waits.begin < waits.end ? r_.waits.start[waits.begin] : INT64_MAX;
      const TraceTime sample =
          samples.begin < samples.end ? r_.samples.time[samples.begin] : INT64_MAX;
      const TraceTime first = std::min({call, wait, sample});
      if (first == INT64_MAX) break;
      if (first == sample) {
        const size_t i = samples.begin++;
        sight(first, first, r_.samples.stack[i]);
      } else if (first == call) {
        const size_t i = calls.begin++;
        sight(first, r_.calls.end[i], r_.calls.stack[i]);
      } else {
        const size_t i = waits.begin++;
        sight(first, r_.waits.end[i], r_.waits.stack[i]);
      }
    }
    close(0, seen_until_);
    bind_arrows(seen_until_);
  }

 private:
  struct Open {
    uint64_t function;
    int64_t start;
    StackId node;
  };

  uint64_t function_of(StackId node) const {
    const Frame& frame = r_.frames[raw(r_.stacks[raw(node)].frame)];
    return uint64_t{raw(frame.file)} << 32 | raw(frame.function);
  }

  void sight(TraceTime host, TraceTime host_until, StackId stack) {
    if (raw(stack) >= r_.stacks.size()) return;
    const int64_t time = s_.in.clock.host(process_, host);
    if (!selected_.overlaps(time, time)) return;
    if (selected_.interval() != interval_) {
      bind_arrows(seen_until_);
      close(0, seen_until_);
    }
    interval_ = selected_.interval();
    // Sights of one thread may overlap: a sample inside of a wait.
    const int64_t until = std::max(time, s_.in.clock.host(process_, host_until));
    if (stack != last_ || open_.empty()) change(time, stack);
    last_ = stack;
    seen_until_ = std::max({seen_until_, time, std::min(until, limit())});
  }
  int64_t limit() const {
    return s_.selection.whole ? INT64_MAX : s_.selection.intervals[interval_].end;
  }

  void change(int64_t time, StackId stack) {
    path_.clear();
    for (StackId at = stack; raw(at) < r_.stacks.size() && path_.size() < kDeepest;
         at = r_.stacks[raw(at)].parent)
      path_.push_back(at);
    std::reverse(path_.begin(), path_.end());
    size_t same = 0;
    while (same < open_.size() && same < path_.size() &&
           open_[same].function == function_of(path_[same]))
      ++same;
    const int64_t ended = time - seen_until_ > kUnseen ? seen_until_ : time;
    bind_arrows(same > 0 ? time : ended);
    close(same, ended);
    for (size_t i = same; i < path_.size(); ++i)
      open_.push_back({function_of(path_[i]), time, path_[i]});
  }

  void close(size_t depth, int64_t end) {
    for (size_t i = depth; i < open_.size(); ++i) row(open_[i], end);
    open_.resize(depth);
  }

  void row(const Open& open, int64_t end) {
    if (end <= open.start) return;
    if (track_.tid == 0) {
      track_.tid = s_.in.ids.next();
      s_.name_track(track_, name_, sort_);
    }
    const Frame& frame = r_.frames[raw(r_.stacks[raw(open.node)].frame)];
    s_.out.slice("python_stack", s_.in.strings.json(frame.function), track_, open.start, end);
    s_.out.args();
    s_.out.member("at",
                  std::string_view(s_.in.strings.frame_place(r_.stacks[raw(open.node)].frame)));
    s_.out.end();
    ++s_.counts.stack_frames;
    for (const Arrows::End& end_of_arrow : waiting_) s_.arrows.bind(end_of_arrow, track_);
    waiting_.clear();
  }

  // Arrows up to `time` that found no call, wait or range: the functions that are open cover it.
  void bind_arrows(int64_t time) {
    const auto& wanted = s_.arrows.wanted(thread_);
    for (; arrow_ < wanted.size() && wanted[arrow_].time < time; ++arrow_)
      if (!open_.empty() && wanted[arrow_].time >= open_.front().start &&
          !s_.arrows.is_bound(wanted[arrow_].arrow))
        waiting_.push_back(wanted[arrow_]);
  }

  TimelineState& s_;
  const Recording& r_;
  const ThreadIndex thread_;
  const ProcessIndex process_;
  const std::string name_;
  const int64_t sort_;
  InSelection selected_;
  Track track_;
  std::vector<Open> open_;
  std::vector<StackId> path_;
  std::vector<Arrows::End> waiting_;  // for the track to have its number
  StackId last_ = kNone<StackId>;
  int64_t seen_until_ = 0;
  size_t interval_ = 0, arrow_ = 0;
};

}  // namespace

void write_python_track(TimelineState& state, ThreadIndex thread, Rows calls, Rows waits,
                        Rows samples, const std::string& thread_name, int64_t sort) {
  PythonTrack(state, thread, thread_name, sort).run(calls, waits, samples);
}

}  // namespace gpustall::cli
