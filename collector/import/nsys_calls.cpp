// CUPTI_ACTIVITY_KIND_RUNTIME: calls of the CUDA runtime and driver, and of cuDNN and cuBLAS, which
// share the table. Correlation ids are unique per process only.
#include <algorithm>

#include "collector/columns.h"
#include "collector/import/kineto_words.h"
#include "collector/import/nsys_rows.h"
#include "collector/import/nsys_words.h"

namespace gpustall::collect {
namespace {

constexpr int64_t kRuntime = 0, kDriver = 1, kCudnn = 28, kCublas = 29;  // eventClass
constexpr int64_t kNoStream = 0xffffffff;
constexpr size_t kDeepest = 128;

// Rows of one chain follow each other, innermost first.
class ChainReader {
 public:
  ChainReader(NsysState& state, std::unordered_map<int64_t, NativeStackId>& out)
      : state_(state), out_(out) {}

  void run(const std::string& table) {
    state_.read(table, {"id", "symbol", "?unresolved"}, [this](const NsysRow& row) {
      const std::optional<int64_t> id = row.integer(0), symbol = row.integer(1);
      if (!id || !symbol) return state_.reject();
      if (*id != id_) close();
      id_ = *id;
      if (row.integer_or(2, 0) != 0 || symbols_.size() >= kDeepest) return;
      if (const StringId name = state_.string(*symbol); raw(name) != 0) symbols_.push_back(name);
    });
    close();
  }

 private:
  void close() {
    if (!symbols_.empty()) out_[id_] = state_.tables.native_stack(symbols_);
    symbols_.clear();
  }

  NsysState& state_;
  std::unordered_map<int64_t, NativeStackId>& out_;
  std::vector<StringId> symbols_;
  int64_t id_ = -1;
};

// What rows of SYNCHRONIZATION and CUDA_EVENT know about the call that made them.
struct Target {
  uint32_t stream = 0;
  uint64_t event = 0;
};

class CallReader {
 public:
  explicit CallReader(NsysState& state) : state_(state) {}

  void run() {
    for (const char* table :
         {"CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", "CUPTI_ACTIVITY_KIND_CUDA_EVENT"})
      targets(table);
    state_.read("CUPTI_ACTIVITY_KIND_RUNTIME",
                {"start", "end", "globalTid", "nameId", "?eventClass", "?correlationId",
                 "?returnValue", "?callchainId"},
                [this](const NsysRow& row) { this->row(row); });
  }

 private:
  struct Name {
    trace::Call call{};
    StringId name{};
  };

  void targets(const char* table) {
    state_.read(table, {"correlationId", "globalPid", "?streamId", "?eventId"},
                [this](const NsysRow& row) {
                  const std::optional<int64_t> correlation = row.integer(0);
                  const std::optional<ProcessIndex> process = state_.process(row.integer(1));
                  if (!correlation || !process) return;
                  const int64_t stream = row.integer_or(2, kNoStream);
                  const int64_t event = row.integer_or(3, kNoStream);
                  targets_[key(*process, *correlation)] = {
                      stream == kNoStream ? 0 : static_cast<uint32_t>(stream),
                      event == kNoStream ? 0 : static_cast<uint64_t>(event)};
                });
  }

  void row(const NsysRow& row) {
    const std::optional<NsysTimes> at = state_.times(row, 0, 1);
    const std::optional<ThreadIndex> thread = at ? state_.thread(row.integer(2)) : std::nullopt;
    if (!thread) return state_.reject();
    state_.seen(state_.process_of(*thread), *at);
    const int64_t name = row.integer_or(3, -1), event_class = row.integer_or(4, kRuntime);
    if (event_class == kCudnn || event_class == kCublas)
      return library_range(*thread, *at, event_class == kCudnn ? "cuDNN" : "cuBLAS", name);
    if (event_class != kRuntime && event_class != kDriver) return;
    Calls& c = r_.calls;
    const Name what = call_name(name);
    const int64_t correlation = row.integer_or(5, 0);
    c.thread.push_back(*thread);
    c.call.push_back(what.call);
    c.start.push_back(at->start);
    c.end.push_back(at->end);
    c.correlation.push_back(static_cast<uint64_t>(correlation));
    c.stack.push_back(kNone<StackId>);
    c.native_stack.push_back(chain(row.integer_or(7, 0)));
    const Target target = target_of(what.call, *thread, correlation);
    c.stream.push_back(target.stream);
    c.object.push_back(target.event);
    c.bytes.push_back(0);
    c.copy_kind.push_back(kCopyUnknown);
    c.result.push_back(static_cast<int32_t>(row.integer_or(6, 0)));
    c.name.push_back(what.name);
  }

  void library_range(ThreadIndex thread, NsysTimes at, std::string_view library, int64_t name) {
    Ranges& out = r_.ranges;
    out.thread.push_back(thread);
    out.kind.push_back(RangeKind::Other);
    out.start.push_back(at.start);
    out.end.push_back(at.end);
    out.domain.push_back(state_.tables.string(library));
    out.name.push_back(state_.string(name));
  }

  Name call_name(int64_t id) {
    const auto [known, made] = names_.try_emplace(id);
    if (!made) return known->second;
    const StringId text = state_.string(id);
    known->second.call = call_of(r_.text(text));
    if (known->second.call == trace::Call::CallOther) known->second.name = text;
    return known->second;
  }

  NativeStackId chain(int64_t id) const {
    if (id <= 0) return kNone<NativeStackId>;
    const auto known = state_.cuda_chains.find(id);
    return known == state_.cuda_chains.end() ? kNone<NativeStackId> : known->second;
  }

  Target target_of(trace::Call call, ThreadIndex thread, int64_t correlation) const {
    switch (trace::class_of(call)) {
      case trace::CallClass::Sync:
      case trace::CallClass::EventSync:
      case trace::CallClass::EventRecord:
      case trace::CallClass::StreamWait:
        break;
      default:
        return {};
    }
    const auto known = targets_.find(key(state_.process_of(thread), correlation));
    return known == targets_.end() ? Target{} : known->second;
  }

  static uint64_t key(ProcessIndex process, int64_t correlation) {
    return (uint64_t{raw(process)} << 40) ^ static_cast<uint64_t>(correlation);
  }

  NsysState& state_;
  Recording& r_ = state_.r;
  std::unordered_map<uint64_t, Target> targets_;
  std::unordered_map<int64_t, Name> names_;
};

}  // namespace

void read_nsys_call_chains(NsysState& state) {
  ChainReader(state, state.cuda_chains).run("CUDA_CALLCHAINS");
  ChainReader(state, state.os_chains).run("OSRT_CALLCHAINS");
}

void read_nsys_calls(NsysState& state) {
  CallReader(state).run();
}

void drop_repeated_calls(Calls& calls) {
  std::vector<uint32_t> open;  // calls around the current one
  std::vector<uint32_t> kept;
  kept.reserve(calls.size());
  for (uint32_t i = 0; i < calls.size(); ++i) {
    if (i > 0 && calls.thread[i] != calls.thread[i - 1]) open.clear();
    while (!open.empty() && calls.end[open.back()] < calls.end[i]) open.pop_back();
    const bool repeated =
        calls.correlation[i] != 0 && std::any_of(open.rbegin(), open.rend(), [&](uint32_t outer) {
          return calls.correlation[outer] == calls.correlation[i] &&
                 calls.end[outer] >= calls.end[i];
        });
    if (repeated) continue;
    kept.push_back(i);
    open.push_back(i);
  }
  if (kept.size() == calls.size()) return;
  each_column(calls, [&](auto& column) {
    for (size_t i = 0; i < kept.size(); ++i) column[i] = column[kept[i]];
    column.resize(kept.size());
  });
}

}  // namespace gpustall::collect
