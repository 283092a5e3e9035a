// OSRT_API: calls into libc, without the file or lock that they waited for, and nothing under the
// recorder's threshold (1 us). Start and finish marks of the tracing share the table.
#include <algorithm>
#include <map>

#include "collector/import/nsys_rows.h"
#include "collector/import/nsys_words.h"

namespace gpustall::collect {
namespace {

constexpr int64_t kOsCall = 27;  // eventClass
constexpr size_t kNamed = 4;     // functions named in the note on what was left out

class WaitReader {
 public:
  explicit WaitReader(NsysState& state) : state_(state) {}

  void run() {
    const bool there = state_.read("OSRT_API",
                                   {"start", "end", "globalTid", "nameId", "?eventClass",
                                    "?returnValue", "?nestingLevel", "?callchainId"},
                                   [this](const NsysRow& row) { this->row(row); });
    if (!there)
      r_.not_observed.push_back("waits for files, pipes and locks (record with -t osrt)");
    else
      note_left_out();
  }

 private:
  struct Kind {
    std::optional<trace::WaitId> wait;
    uint64_t left_out = 0;
  };

  void row(const NsysRow& row) {
    if (row.integer_or(4, kOsCall) != kOsCall || row.integer_or(6, 0) > 0) return;
    const std::optional<NsysTimes> at = state_.times(row, 0, 1);
    const std::optional<ThreadIndex> thread = at ? state_.thread(row.integer(2)) : std::nullopt;
    if (!thread) return state_.reject();
    const ProcessIndex process = state_.process_of(*thread);
    state_.seen(process, *at);
    Kind& kind = kind_of(row.integer_or(3, -1));
    if (!kind.wait) {
      ++kind.left_out;
      return;
    }
    Waits& w = r_.waits;
    w.thread.push_back(*thread);
    w.wait.push_back(*kind.wait);
    w.start.push_back(at->start);
    w.end.push_back(at->end);
    w.object.push_back(object_of(process, *kind.wait));
    w.result.push_back(row.integer_or(5, 0));
    w.stack.push_back(kNone<StackId>);
    const auto chain = state_.os_chains.find(row.integer_or(7, 0));
    w.native_stack.push_back(chain == state_.os_chains.end() ? kNone<NativeStackId>
                                                             : chain->second);
    w.waker.push_back(kNone<ThreadIndex>);
    w.waker_time.push_back(0);
  }

  // A poll of nothing is a sleep; what these polled is only not known.
  ObjectId object_of(ProcessIndex process, trace::WaitId wait) {
    if (trace::class_of(wait) != trace::WaitClass::Poll) return kNone<ObjectId>;
    return state_.tables.object(process, trace::ObjectKind::Unknown, 0, StringId{});
  }

  Kind& kind_of(int64_t name) {
    const auto [known, made] = kinds_.try_emplace(name);
    if (made) known->second.wait = wait_of(state_.text(name));
    return known->second;
  }

  void note_left_out() {
    uint64_t rows = 0;
    std::multimap<uint64_t, std::string_view, std::greater<>> most;
    for (const auto& [name, kind] : kinds_) {
      if (kind.left_out == 0) continue;
      rows += kind.left_out;
      most.emplace(kind.left_out, state_.text(name));
    }
    if (rows == 0) return;
    std::string names;
    size_t listed = 0;
    for (const auto& [count, name] : most) {
      if (++listed > kNamed) break;
      names += (names.empty() ? "" : ", ") + std::string(name);
    }
    if (listed > kNamed) names += ", ...";
    r_.not_observed.push_back(std::to_string(rows) +
                              " calls of libc that are no known kind of wait (" + names + ")");
  }

  NsysState& state_;
  Recording& r_ = state_.r;
  std::map<int64_t, Kind> kinds_;  // by string id
};

}  // namespace

void read_nsys_waits(NsysState& state) {
  WaitReader(state).run();
}

}  // namespace gpustall::collect
