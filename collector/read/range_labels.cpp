#include "collector/read/range_labels.h"

namespace gpustall::collect {
namespace {

class Labels {
 public:
  Labels(Recording& recording, Tables& tables) : r_(recording), tables_(tables) {
    times_.resize(r_.strings.size());
    for (StringId name : r_.ranges.name) ++times_[raw(name)];
    bare_.assign(r_.processes.size(), true);
    for (size_t i = 0; i < r_.calls.size(); ++i)
      if (r_.calls.stack[i] != kNone<StackId>) bare_[process_of(r_.calls.thread[i])] = false;
  }

  void run() {
    const Ranges& ranges = r_.ranges;
    Calls& calls = r_.calls;
    size_t range = 0;
    for (size_t i = 0; i < calls.size(); ++i) {
      const ThreadIndex thread = calls.thread[i];
      if (!bare_[process_of(thread)]) continue;
      if (thread != thread_) open_.clear(), thread_ = thread;
      for (; range < ranges.size() && raw(ranges.thread[range]) < raw(thread);) ++range;
      for (; range < ranges.size() && ranges.thread[range] == thread &&
             ranges.start[range] <= calls.start[i];
           ++range)
        open(range);
      // Ranges of one thread need not nest: one that is over goes wherever it lies.
      std::erase_if(open_, [&](uint32_t at) { return ranges.end[at] <= calls.start[i]; });
      calls.stack[i] = label();
    }
  }

 private:
  uint32_t process_of(ThreadIndex thread) const { return raw(r_.threads[raw(thread)].process); }

  void open(size_t range) {
    const RangeKind kind = r_.ranges.kind[range];
    if (kind == RangeKind::CpuOp || kind == RangeKind::Nvtx || kind == RangeKind::UserAnnotation)
      open_.push_back(static_cast<uint32_t>(range));
  }

  StackId label() {
    const uint32_t* chosen = nullptr;
    bool repeats = false;
    for (const uint32_t& at : open_) {
      const bool annotation = r_.ranges.kind[at] != RangeKind::CpuOp;
      if (annotation && times_[raw(r_.ranges.name[at])] > 1)
        chosen = &at, repeats = true;
      else if (!annotation && !repeats && chosen == nullptr)
        chosen = &at;
    }
    if (chosen == nullptr) return kNone<StackId>;
    const StringId name = r_.ranges.name[*chosen];
    if (raw(name) >= known_.size()) known_.resize(raw(name) + 1, kNone<StackId>);
    StackId& stack = known_[raw(name)];
    if (stack == kNone<StackId>)
      stack = tables_.stack(kNone<StackId>, tables_.frame(StringId{}, shown(name), 0));
    return stack;
  }

  // "autograd::engine::evaluate_function: AddmmBackward0" is told by its end.
  StringId shown(StringId name) {
    constexpr std::string_view kEngine = "autograd::engine::evaluate_function: ";
    const std::string text(r_.text(name));
    return text.starts_with(kEngine) ? tables_.string(text.substr(kEngine.size())) : name;
  }

  Recording& r_;
  Tables& tables_;
  std::vector<uint32_t> times_;  // by name
  std::vector<bool> bare_;       // by process
  std::vector<StackId> known_;   // by name
  std::vector<uint32_t> open_;   // ranges around the call, outermost first
  ThreadIndex thread_ = kNone<ThreadIndex>;
};

}  // namespace

void label_calls(Recording& recording, Tables& tables) {
  if (recording.ranges.size() > 0) Labels(recording, tables).run();
}

}  // namespace gpustall::collect
