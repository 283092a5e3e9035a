// Host threads: CUDA calls, waits in libc and ranges of a thread as one nested track, and above it
// the Python stack.
#include <algorithm>
#include <map>

#include "viewer-cli/export/arrows.h"
#include "viewer-cli/export/python_track.h"
#include "viewer-cli/export/track_lanes.h"

namespace gpustall::cli {

namespace {

using namespace collect;  // NOLINT: all of this is about the collector's tables

constexpr int64_t kSortsPerThread = 4;

const char* const kObjectKinds[] = {"",          "file",      "pipe", "socket",  "terminal",
                                    "semaphore", "condition", "GIL",  "eventfd", "device"};

class ThreadTracks {
 public:
  explicit ThreadTracks(TimelineState& state) : s_(state), r_(state.in.recording) {
    for (unsigned i = 0; i < 256; ++i) {
      call_names_.push_back(json_quoted(trace::name_of(static_cast<trace::Call>(i))));
      wait_names_.push_back(json_quoted(trace::name_of(static_cast<trace::WaitId>(i))));
    }
  }

  void run() {
    for (uint32_t t = 0; t < r_.threads.size(); ++t) {
      thread_ = ThreadIndex{t};
      const Rows calls = rows_of(r_.calls, calls_), waits = rows_of(r_.waits, waits_),
                 ranges = rows_of(r_.ranges, ranges_), samples = rows_of(r_.samples, samples_);
      process_ = r_.threads[t].process;
      if (!s_.selection.processes[raw(process_)]) continue;
      const int64_t sort = t * kSortsPerThread;
      track_ = {s_.in.ids.of(process_), s_.in.ids.of(thread_)};
      main_track(calls, waits, ranges, sort + 1);
      if (s_.dialect == Dialect::Viewer)
        write_python_track(s_, thread_, calls, waits, samples, thread_name(), sort);
    }
  }

 private:
  // The rows of this thread; `next` moves behind them.
  template <typename Table>
  Rows rows_of(const Table& table, size_t& next) const {
    Rows rows{next, next};
    while (rows.end < table.size() && table.thread[rows.end] == thread_) ++rows.end;
    next = rows.end;
    return rows;
  }

  std::string thread_name() const {
    const Thread& thread = r_.threads[raw(thread_)];
    if (raw(thread.name) != 0) return s_.in.strings.text(thread.name);
    return thread.tid == r_.processes[raw(process_)].pid ? "main thread"
                                                         : "thread " + std::to_string(thread.tid);
  }

  // The next row of a table, in times of the timeline.
  struct Head {
    size_t at, stop;
    int64_t start, end;
    bool before(const Head& other) const {
      return start != other.start ? start < other.start : end > other.end;
    }
  };
  template <typename Table>
  void load(Head& head, const Table& table) const {
    if (head.at == head.stop) {
      head.start = INT64_MAX;
      head.end = INT64_MIN;
      return;
    }
    head.start = s_.in.clock.host(process_, table.start[head.at]);
    head.end = std::max(head.start, s_.in.clock.host(process_, table.end[head.at]));
  }

  void main_track(Rows calls, Rows waits, Rows ranges, int64_t sort) {
    if (s_.dialect == Dialect::Torch) waits.end = waits.begin;
    TrackLanes lanes(s_, Lanes::Shape::Nested, track_, thread_name(), sort);
    lanes_ = &lanes;
    InSelection selected(s_.selection);
    arrow_ = 0;
    Head call{calls.begin, calls.end, 0, 0}, wait{waits.begin, waits.end, 0, 0},
        range{ranges.begin, ranges.end, 0, 0};
    load(call, r_.calls), load(wait, r_.waits), load(range, r_.ranges);
    for (;;) {
      Head* first = &range;  // at the same time the range is around the call, and the call around
      if (call.before(*first)) first = &call;  // the wait
      if (wait.before(*first)) first = &wait;
      if (first->start == INT64_MAX) break;
      bind_arrows(first->start);
      if (selected.overlaps(first->start, first->end)) {
        if (const Track* track = lanes.place(first->start, first->end))
          first == &call   ? call_row(call, *track)
          : first == &wait ? wait_row(wait, *track)
                           : range_row(range, *track);
      }
      ++first->at;
      first == &call   ? load(call, r_.calls)
      : first == &wait ? load(wait, r_.waits)
                       : load(range, r_.ranges);
    }
    bind_arrows(INT64_MAX);
  }

  // Arrows that end before `time` are bound where a row of the first lane is open.
  void bind_arrows(int64_t time) {
    const auto& wanted = s_.arrows.wanted(thread_);
    for (; arrow_ < wanted.size() && wanted[arrow_].time < time; ++arrow_)
      if (lanes_->first_open_at(wanted[arrow_].time)) s_.arrows.bind(wanted[arrow_], track_);
  }

  void call_row(const Head& at, const Track& track) {
    const size_t i = at.at;
    const Calls& c = r_.calls;
    const bool named = raw(c.name[i]) != 0;
    const std::string& name =
        named ? s_.in.strings.json(c.name[i]) : call_names_[static_cast<size_t>(c.call[i])];
    const bool driver = name.starts_with("\"cu") && !name.starts_with("\"cuda");
    s_.out.slice(driver ? "cuda_driver" : "cuda_runtime", name, track, at.start, at.end);
    stack_of(c.stack[i]);
    s_.out.args();
    s_.out.member("correlation", static_cast<int64_t>(c.correlation[i]));
    if (c.bytes[i] != 0) s_.out.member("bytes", static_cast<int64_t>(c.bytes[i]));
    if (c.result[i] != 0) s_.out.member("result", c.result[i]);
    s_.out.end();
    ++s_.counts.calls;
    if (s_.arrows.wants_call(i) && lanes_->is_first(&track) && at.end > at.start)
      s_.arrows.call_written(i);
  }

  void wait_row(const Head& at, const Track& track) {
    const size_t i = at.at;
    const Waits& w = r_.waits;
    s_.out.slice("wait", wait_names_[static_cast<size_t>(w.wait[i])], track, at.start, at.end);
    stack_of(w.stack[i]);
    s_.out.args();
    if (raw(w.object[i]) < r_.objects.size()) {
      const Object& object = r_.objects[raw(w.object[i])];
      const auto kind = static_cast<size_t>(object.kind);
      if (kind < std::size(kObjectKinds))
        s_.out.member("object", std::string_view(kObjectKinds[kind]));
      s_.out.member("path", std::string_view(s_.in.strings.text(object.path)));
    }
    if (raw(w.waker[i]) < r_.threads.size())
      s_.out.member("woken by tid", r_.threads[raw(w.waker[i])].tid);
    s_.out.end();
    ++s_.counts.waits;
  }

  void range_row(const Head& at, const Track& track) {
    const Ranges& g = r_.ranges;
    const size_t i = at.at;
    const bool op = g.kind[i] == RangeKind::CpuOp;
    s_.out.slice(op ? "cpu_op" : "user_annotation", s_.in.strings.json(g.name[i]), track, at.start,
                 at.end);
    if (raw(g.domain[i]) != 0) {
      s_.out.args();
      s_.out.member_json("domain", s_.in.strings.json(g.domain[i]));
    }
    s_.out.end();
    ++s_.counts.ranges;
  }

  void stack_of(StackId stack) {
    if (s_.dialect == Dialect::Torch || raw(stack) >= r_.stacks.size()) return;
    s_.out.member("sf", raw(stack));
    s_.use(stack);
  }

  TimelineState& s_;
  const Recording& r_;
  std::vector<std::string> call_names_, wait_names_;
  size_t calls_ = 0, waits_ = 0, ranges_ = 0, samples_ = 0, arrow_ = 0;
  ThreadIndex thread_{};
  ProcessIndex process_{};
  Track track_;
  TrackLanes* lanes_ = nullptr;
};

std::string process_name(const TimelineInput& in, uint32_t p) {
  const Process& process = in.recording.processes[p];
  std::string name;
  switch (process.role) {
    case trace::Role::LoaderWorker:
      name = "loader worker";
      break;
    case trace::Role::Trainer:
      name = "trainer";
      break;
    case trace::Role::Other:
    case trace::Role::Unknown:
      name = "process";
      break;
  }
  if (process.rank >= 0) name += ", rank " + std::to_string(process.rank);
  if (!process.host.empty()) name += ", " + valid_utf8(process.host);
  return name + " (pid " + std::to_string(process.pid) + ")";
}

}  // namespace

void write_threads(TimelineState& state) {
  const auto& processes = state.in.recording.processes;
  for (uint32_t p = 0; p < processes.size(); ++p) {
    if (!state.selection.processes[p]) continue;
    const Track track{state.in.ids.of(ProcessIndex{p}), 0};
    const int64_t sort = processes[p].role == trace::Role::LoaderWorker ? 20'000 : 10'000;
    state.out.metadata("process_name", track, "name", json_quoted(process_name(state.in, p)));
    state.out.metadata("process_sort_index", track, "sort_index", std::to_string(sort + p));
  }
  ThreadTracks(state).run();
}

}  // namespace gpustall::cli
