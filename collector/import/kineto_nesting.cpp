#include "collector/import/kineto_nesting.h"

#include <algorithm>

namespace gpustall::collect {
namespace {

constexpr int64_t kOneSample = 5'000, kTwoSamples = 20'000;  // ns of an unchanged stack
constexpr size_t kDeepestNative = 64;

bool outer_first(ThreadIndex ta, TraceTime sa, TraceTime ea, ThreadIndex tb, TraceTime sb,
                 TraceTime eb) {
  if (ta != tb) return raw(ta) < raw(tb);
  if (sa != sb) return sa < sb;
  return ea > eb;
}

template <typename Row>
void sort_rows(std::vector<Row>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return outer_first(a.thread, a.start, a.end, b.thread, b.start, b.end);
  });
}

// Operators around operators, as a trie; a node becomes a native stack when a call needs it.
class OperatorStacks {
 public:
  OperatorStacks(Recording& r, Tables& tables) : r_(r), tables_(tables) {}

  uint32_t inside(uint32_t parent, StringId name) {
    const auto next = static_cast<uint32_t>(nodes_.size());
    const auto [known, made] = ids_.try_emplace(uint64_t{parent} << 32 | raw(name), next);
    if (made) nodes_.push_back({parent, symbol(name), kNone<NativeStackId>});
    return known->second;
  }
  NativeStackId stack(uint32_t node) {
    if (node == kNoNode) return kNone<NativeStackId>;
    if (nodes_[node].stack != kNone<NativeStackId>) return nodes_[node].stack;
    std::vector<StringId> symbols;
    for (uint32_t n = node; n != kNoNode && symbols.size() < kDeepestNative; n = nodes_[n].parent)
      symbols.push_back(nodes_[n].symbol);
    return nodes_[node].stack = tables_.native_stack(symbols);
  }
  static constexpr uint32_t kNoNode = 0xffffffffu;

 private:
  struct Node {
    uint32_t parent;
    StringId symbol;
    NativeStackId stack;
  };
  // The row "aten::item" is written by at::_ops::item::call; a recorded native stack would show
  // that symbol, and the analysis knows those.
  StringId symbol(StringId name) {
    const std::string_view text = r_.text(name);
    if (!text.starts_with("aten::")) return name;
    return tables_.string("at::_ops::" + std::string(text.substr(6)) + "::call");
  }

  Recording& r_;
  Tables& tables_;
  std::vector<Node> nodes_;
  std::unordered_map<uint64_t, uint32_t> ids_;
};

// "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__" is written by __next__ itself.
enum class LoaderRow : uint8_t { None, OwnProcess, Workers };
LoaderRow loader_row(std::string_view name) {
  if (!name.starts_with("enumerate(DataLoader)#") || !name.ends_with("__next__"))
    return LoaderRow::None;
  return name.find("SingleProcess") != std::string_view::npos ? LoaderRow::OwnProcess
                                                              : LoaderRow::Workers;
}

class Nesting {
 public:
  Nesting(Recording& r, Tables& tables, KinetoFrames& frames, const KinetoRows& rows)
      : r_(r), tables_(tables), frames_(frames), rows_(rows), operators_(r, tables) {}

  void run() {
    while (range_ < rows_.ranges.size() || function_ < rows_.functions.size() ||
           call_ < r_.calls.size()) {
      thread_ = std::min({thread_of(rows_.ranges, range_), thread_of(rows_.functions, function_),
                          call_ < r_.calls.size() ? r_.calls.thread[call_] : kNone<ThreadIndex>});
      functions_here_ = thread_of(rows_.functions, function_) == thread_;
      thread();
    }
  }

 private:
  struct Open {
    TraceTime end;
    StackId stack;
    uint32_t node;
  };

  template <typename Row>
  static ThreadIndex thread_of(const std::vector<Row>& rows, size_t i) {
    return i < rows.size() ? rows[i].thread : kNone<ThreadIndex>;
  }
  template <typename Row>
  TraceTime start_of(const std::vector<Row>& rows, size_t i) const {
    return thread_of(rows, i) == thread_ ? rows[i].start : INT64_MAX;
  }

  void thread() {
    open_.clear();
    since_ = INT64_MIN;
    for (;;) {
      const TraceTime range = start_of(rows_.ranges, range_);
      const TraceTime function = start_of(rows_.functions, function_);
      const TraceTime call = call_ < r_.calls.size() && r_.calls.thread[call_] == thread_
                                 ? r_.calls.start[call_]
                                 : INT64_MAX;
      const TraceTime next = std::min({range, function, call});
      if (next == INT64_MAX) break;
      close_until(next);
      if (function == next && (range != next || function_is_outer()))
        open_function(rows_.functions[function_++]);
      else if (range == next)
        open_range(rows_.ranges[range_++]);
      else
        place_call(call_++);
    }
    close_until(INT64_MAX);
  }
  bool function_is_outer() const {
    return rows_.functions[function_].end >= rows_.ranges[range_].end;
  }

  StackId stack() const { return open_.empty() ? kNone<StackId> : open_.back().stack; }
  uint32_t node() const { return open_.empty() ? OperatorStacks::kNoNode : open_.back().node; }

  void close_until(TraceTime time) {
    while (!open_.empty() && open_.back().end <= time) {
      sample(open_.back().end);
      open_.pop_back();
    }
  }
  void push(Open opened, TraceTime start) {
    if (opened.stack != stack()) sample(start);
    open_.push_back(opened);
  }

  void open_function(const KinetoFunction& f) {
    push({f.end, tables_.stack(stack(), f.frame), node()}, f.start);
    // The main thread sleeps in here while autograd's threads launch.
    const std::string_view name = r_.text(r_.frames[raw(f.frame)].function);
    if (name.find("run_backward") != std::string_view::npos && name.starts_with('<'))
      wait(trace::WaitId::CondWait, f.start, f.end, open_.back().stack);
  }

  void open_range(const KinetoRange& x) {
    StackId at = x.call_stack != kNone<StackId> ? x.call_stack : stack();
    const bool annotation = x.kind == RangeKind::UserAnnotation;
    const LoaderRow loader = annotation ? loader_row(r_.text(x.name)) : LoaderRow::None;
    constexpr const char* kLoader = "torch/utils/data/dataloader.py";
    if (loader == LoaderRow::Workers) {
      at = frames_.inside(frames_.inside(at, kLoader, "__next__"), kLoader, "_get_data");
      wait(trace::WaitId::Poll, x.start, x.end, at);
    } else if (loader == LoaderRow::OwnProcess && !functions_here_) {
      const StackId fetching = frames_.inside(frames_.inside(at, kLoader, "__next__"),
                                              "torch/utils/data/_utils/fetch.py", "fetch");
      // Where nothing else on this thread has a stack, this one would be taken for that of all
      // that comes after; a wait ends where the row ends.
      if (x.call_stack != kNone<StackId>)
        at = fetching;
      else
        wait(trace::WaitId::Read, x.start, x.end, fetching);
    }
    push({x.end, at, annotation ? node() : operators_.inside(node(), x.name)}, x.start);
    Ranges& out = r_.ranges;
    out.thread.push_back(thread_);
    out.kind.push_back(x.kind);
    out.start.push_back(x.start);
    out.end.push_back(x.end);
    out.domain.push_back(StringId{});
    out.name.push_back(x.name);
  }

  void place_call(size_t i) {
    r_.calls.stack[i] = stack();
    r_.calls.native_stack[i] = operators_.stack(node());
  }

  // The stack was the same from since_ to `until`: two samples hold its edges.
  void sample(TraceTime until) {
    const TraceTime from = since_;
    if (until <= from) return;
    since_ = until;
    if (stack() == kNone<StackId> || until - from < kOneSample) return;
    if (until - from < kTwoSamples) return add_sample(from + (until - from) / 2);
    add_sample(from);
    add_sample(until - 1);
  }
  void add_sample(TraceTime time) {
    Samples& out = r_.samples;
    out.thread.push_back(thread_);
    out.time.push_back(time);
    out.stack.push_back(stack());
    out.state.push_back(trace::ThreadRunState::Unknown);
    out.cpu_ns.push_back(0);
    out.runnable_ns.push_back(0);
    out.major_faults.push_back(0);
    out.minor_faults.push_back(0);
    out.system_ns.push_back(0);
    out.flags.push_back(0);
  }

  void wait(trace::WaitId id, TraceTime start, TraceTime end, StackId at) {
    Waits& out = r_.waits;
    out.thread.push_back(thread_);
    out.wait.push_back(id);
    out.start.push_back(start);
    out.end.push_back(end);
    out.object.push_back(kNone<ObjectId>);
    out.result.push_back(0);
    out.stack.push_back(at);
    out.native_stack.push_back(kNone<NativeStackId>);
    out.waker.push_back(kNone<ThreadIndex>);
    out.waker_time.push_back(0);
  }

  Recording& r_;
  Tables& tables_;
  KinetoFrames& frames_;
  const KinetoRows& rows_;
  OperatorStacks operators_;
  std::vector<Open> open_;
  size_t range_ = 0, function_ = 0, call_ = 0;
  ThreadIndex thread_{};
  bool functions_here_ = false;
  TraceTime since_ = INT64_MIN;
};

}  // namespace

void nest_rows(Recording& recording, Tables& tables, KinetoFrames& frames, KinetoRows rows) {
  sort_rows(rows.ranges);
  sort_rows(rows.functions);
  Nesting(recording, tables, frames, rows).run();
}

}  // namespace gpustall::collect
