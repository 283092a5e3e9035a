// NVTX_EVENTS: ranges of push and pop nest, those of start and end need not. Marks, categories and
// names are no ranges.
#include <algorithm>

#include "collector/import/kineto_frames.h"
#include "collector/import/nsys_rows.h"
#include "collector/import/nsys_words.h"

namespace gpustall::collect {
namespace {

enum EventType : int64_t {
  kPushPop = 59,
  kStartEnd = 60,
  kTextPushPop = 70,
  kTextStartEnd = 71,
  kDomain = 75
};

class RangeReader {
 public:
  explicit RangeReader(NsysState& state) : state_(state) {}

  std::vector<KinetoRange> run() {
    const bool there = state_.read(
        "NVTX_EVENTS", {"start", "end", "eventType", "globalTid", "?text", "?textId", "?domainId"},
        [this](const NsysRow& row) { this->row(row); });
    if (!there) state_.r.not_observed.push_back("NVTX ranges (record with -t nvtx)");
    for (const auto& [range, domain] : in_domain_)
      if (const auto known = domains_.find(domain); known != domains_.end())
        state_.r.ranges.domain[range] = known->second;
    return std::move(operators_);
  }

 private:
  enum Column { kFrom, kUntil, kType, kThread, kText, kTextId, kDomainId };

  void row(const NsysRow& row) {
    const std::optional<int64_t> type = row.integer(kType);
    if (type == kDomain) return domain(row);
    const bool nests = type == kPushPop || type == kTextPushPop;
    if (!nests && type != kStartEnd && type != kTextStartEnd) return;
    const std::optional<int64_t> start = row.integer(kFrom);
    const std::optional<ThreadIndex> thread =
        start && state_.is_time(*start) ? state_.thread(row.integer(kThread)) : std::nullopt;
    if (!thread) return state_.reject();
    const ProcessIndex process = state_.process_of(*thread);
    NsysTimes at{*start, 0};
    if (const std::optional<NsysTimes> closed = state_.times(row, kFrom, kUntil)) {
      at = *closed;
      state_.seen(process, at);
    } else if (row.integer(kUntil)) {
      return state_.reject();
    } else {  // still open when the recording ended
      at.end = std::max(at.start, state_.r.processes[raw(process)].last_ns);
    }
    const Name name = name_of(row);
    if (nests && name.kind != RangeKind::Nvtx)
      operators_.push_back({*thread, name.kind, name.id, kNone<StackId>, at.start, at.end});
    else
      add(*thread, at, name, row.integer_or(kDomainId, 0));
  }

  struct Name {
    StringId id{};
    RangeKind kind = RangeKind::Nvtx;
  };

  Name name_of(const NsysRow& row) {
    if (const std::string_view text = row.text(kText); !text.empty()) {
      const RangeName range = range_name(text);
      const auto known = names_.find(range.name);
      if (known != names_.end()) return {known->second, range.kind};
      const StringId id = state_.string(range.name);
      names_.emplace(range.name, id);
      return {id, range.kind};
    }
    const int64_t registered = row.integer_or(kTextId, -1);
    const auto [known, made] = registered_.try_emplace(registered);
    if (made && registered >= 0) {
      const RangeName range = range_name(state_.text(registered));
      known->second = {state_.string(range.name), range.kind};
    }
    return known->second;
  }

  void add(ThreadIndex thread, NsysTimes at, const Name& name, int64_t domain) {
    Ranges& out = state_.r.ranges;
    if (domain != 0)
      in_domain_.emplace_back(out.size(), domain_key(state_.process_of(thread), domain));
    out.thread.push_back(thread);
    out.kind.push_back(name.kind);
    out.start.push_back(at.start);
    out.end.push_back(at.end);
    out.domain.push_back(StringId{});
    out.name.push_back(name.id);
  }

  void domain(const NsysRow& row) {
    const std::optional<ThreadIndex> thread = state_.thread(row.integer(kThread));
    if (!thread) return;
    const uint64_t key = domain_key(state_.process_of(*thread), row.integer_or(kDomainId, 0));
    domains_[key] = name_of(row).id;
  }

  static uint64_t domain_key(ProcessIndex process, int64_t domain) {
    return (uint64_t{raw(process)} << 40) ^ static_cast<uint64_t>(domain);
  }

  NsysState& state_;
  std::vector<KinetoRange> operators_;
  ByText<StringId> names_;
  std::unordered_map<int64_t, Name> registered_;
  std::unordered_map<uint64_t, StringId> domains_;
  std::vector<std::pair<size_t, uint64_t>> in_domain_;
};

}  // namespace

std::vector<KinetoRange> read_nsys_ranges(NsysState& state) {
  return RangeReader(state).run();
}

}  // namespace gpustall::collect
