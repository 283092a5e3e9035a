#include "collector/import/nsys_state.h"

#include <algorithm>

#include "collector/import/nsys_words.h"

namespace gpustall::collect {
namespace {

constexpr int64_t kFarthest = int64_t{1} << 61;  // ns: 2043; sums and differences stay in 64 bits
constexpr int64_t kLongest = int64_t{1} << 55;   // over a year
constexpr int64_t kProgressRows = 1 << 16;

// A global id is virtual machine, process (24 bits), thread (24 bits).
constexpr int kThreadBits = 24, kProcessBits = 24;
constexpr int64_t kMask = (1 << 24) - 1;

}  // namespace

bool NsysState::read(const std::string& table, NsysDatabase::Columns columns,
                     const std::function<void(const NsysRow&)>& row) {
  rejected_ = 0;
  const NsysDatabase::Outcome outcome = database_.each(table, columns, [&](const NsysRow& current) {
    row(current);
    advance();
    return true;
  });
  if (outcome.read == NsysDatabase::Read::LacksColumn)
    r.damage.push_back("table " + table + " has no column " + outcome.detail + ": not read");
  if (outcome.read == NsysDatabase::Read::Damaged)
    r.damage.push_back("table " + table + " is damaged behind row " + std::to_string(outcome.rows) +
                       ": " + printable_text(outcome.detail));
  if (rejected_ > 0)
    r.damage.push_back(std::to_string(rejected_) + " of " + std::to_string(outcome.rows) +
                       " rows of table " + table + " hold no usable time or id: left out");
  return outcome.rows > 0;
}

void NsysState::advance() {
  if (++read_rows_ % kProgressRows != 0 || !progress_ || expected_rows_ <= 0) return;
  progress_(std::min(1.0, static_cast<double>(read_rows_) / static_cast<double>(expected_rows_)));
}

StringId NsysState::string(int64_t id) {
  if (const auto known = strings_.find(id); known != strings_.end()) return known->second;
  const std::optional<std::string> value = database_.text_of(id);
  const StringId made = value ? string(std::string_view(*value)) : StringId{};
  strings_.emplace(id, made);
  return made;
}

StringId NsysState::string(std::string_view raw) {
  return tables.string(printable_text(raw));
}

bool NsysState::is_time(TraceTime time) const {
  if (time <= -kFarthest || time >= kFarthest) return false;
  return !windowed_ || (time > middle_ - kLongest && time < middle_ + kLongest);
}

std::optional<NsysTimes> NsysState::times(const NsysRow& row, int start, int end) const {
  const std::optional<int64_t> from = row.integer(start), until = row.integer(end);
  if (!from || !until || !is_time(*from) || !is_time(*until)) return {};
  if (*until < *from || *until - *from >= kLongest) return {};
  return NsysTimes{*from, *until};
}

// A row years away from the others would be the whole span.
void NsysState::settle_window() {
  Activities& a = r.activities;
  if (a.size() == 0) return;
  std::vector<TraceTime> starts = a.start;
  const auto middle = starts.begin() + static_cast<ptrdiff_t>(starts.size() / 2);
  std::nth_element(starts.begin(), middle, starts.end());
  middle_ = *middle;
  windowed_ = true;
}

std::optional<ProcessIndex> NsysState::process(std::optional<int64_t> global_id) {
  if (!global_id || *global_id < 0) return {};
  const int64_t key = *global_id >> kThreadBits;
  const auto next = ProcessIndex(static_cast<uint32_t>(r.processes.size()));
  const auto [known, made] = processes_.try_emplace(key, next);
  if (!made) return known->second;
  const int64_t machine = key >> kProcessBits;
  const auto [host, first] = hosts_.try_emplace(machine);
  // Names of hosts stay in the file; several machines in one file still have to be told apart.
  if (first && hosts_.size() > 1) host->second = "machine " + std::to_string(hosts_.size());
  Process p;
  p.pid = static_cast<uint32_t>(key & kMask);
  p.host = host->second;
  p.clean_end = true;  // nothing says otherwise
  p.first_ns = INT64_MAX;
  p.last_ns = INT64_MIN;
  p.source = r.name;
  r.processes.push_back(std::move(p));
  return next;
}

std::optional<ThreadIndex> NsysState::thread(std::optional<int64_t> global_id) {
  if (global_id && *global_id == last_thread_id_) return last_thread_;
  const std::optional<ProcessIndex> owner = process(global_id);
  if (!owner) return {};
  const auto [known, made] = threads_.try_emplace(*global_id);
  if (made) known->second = tables.thread(*owner, static_cast<uint32_t>(*global_id & kMask));
  last_thread_id_ = *global_id;
  return last_thread_ = known->second;
}

bool NsysState::knows_process(int64_t global_id) const {
  return global_id >= 0 && processes_.count(global_id >> kThreadBits) != 0;
}

void NsysState::seen(ProcessIndex process, NsysTimes at) {
  Process& p = r.processes[raw(process)];
  p.first_ns = std::min(p.first_ns, at.start);
  p.last_ns = std::max(p.last_ns, at.end);
}

}  // namespace gpustall::collect
