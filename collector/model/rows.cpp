#include "collector/model/rows.h"

#include <algorithm>
#include <bit>

namespace gpustall::collect {
namespace {

bool same_row(const RowPart& a, const RowPart& b) {
  return a.cause == b.cause && a.site == b.site && a.object == b.object && a.group == b.group;
}

uint64_t hash_of(const RowPart& p) {
  const uint64_t low = uint64_t{raw(p.site)} << 8 | static_cast<uint8_t>(p.cause);
  return (low ^ uint64_t{raw(p.object)} << 40 ^ uint64_t{p.group} << 52) * 0x9e3779b97f4a7c15ull;
}

}  // namespace

OpenRow& OpenRows::row_of(const RowPart& part) {
  const uint64_t hash = hash_of(part);
  uint32_t& recent = recent_[hash >> 54];
  if (recent < rows_.size() && same_row(rows_[recent].first, part)) return rows_[recent];
  std::vector<uint32_t>& candidates = known_[hash];
  for (uint32_t i : candidates)
    if (same_row(rows_[i].first, part)) return rows_[recent = i];
  recent = static_cast<uint32_t>(rows_.size());
  candidates.push_back(recent);
  rows_.emplace_back().first = part;
  return rows_.back();
}

void OpenRows::add(const RowPart& part) {
  OpenRow* row = &row_of(part);
  const int64_t ns = part.end - part.start;
  row->ns += ns;
  if (row->last_counted != part.counted_by) ++row->count;
  row->last_counted = part.counted_by;
  if (ns > row->longest_ns) {
    row->longest_ns = ns;
    row->stack = part.stack;
    row->label = part.label;
  }
  for (uint64_t also = part.also; also != 0; also &= also - 1)
    row->also[static_cast<size_t>(std::countr_zero(also))] += ns;
  add_to_steps(*row, part.start, part.end);
}

void OpenRows::append(const OpenRows& later, uint32_t steps_before) {
  for (const OpenRow& from : later.rows_) {
    OpenRow& row = row_of(from.first);
    row.ns += from.ns;
    row.count += from.count;
    if (row.last_counted == from.first.counted_by) --row.count;  // cut between the two
    row.last_counted = from.last_counted;
    if (from.longest_ns > row.longest_ns) {
      row.longest_ns = from.longest_ns;
      row.stack = from.stack;
      row.label = from.label;
    }
    for (unsigned c = 0; c < kCauseCount; ++c) row.also[c] += from.also[c];
    for (const StepShare& share : from.per_step)
      row.per_step.push_back({share.step + steps_before, share.ns});
  }
}

void OpenRows::add_to_steps(OpenRow& row, TraceTime start, TraceTime end) {
  const size_t steps = boundaries_.size() > 1 ? boundaries_.size() - 1 : 0;
  while (step_ < steps && boundaries_[step_ + 1] <= start) ++step_;
  for (size_t s = step_; s < steps && boundaries_[s] < end; ++s) {
    const TraceTime from = std::max(start, boundaries_[s]);
    const TraceTime to = std::min(end, boundaries_[s + 1]);
    if (to <= from) continue;
    if (row.per_step.empty() || row.per_step.back().step != s)
      row.per_step.push_back({static_cast<uint32_t>(s), 0});
    row.per_step.back().ns += to - from;
  }
}

std::optional<uint32_t> period_of(const std::vector<StepShare>& per_step, size_t steps) {
  int64_t largest = 0;
  for (const StepShare& share : per_step) largest = std::max(largest, share.ns);
  if (largest == 0 || steps < 3) return {};
  std::vector<uint32_t> hits;  // steps in which it really happens
  for (const StepShare& share : per_step)
    if (share.ns * 5 >= largest) hits.push_back(share.step);
  if (hits.size() * 10 >= steps * 9) return 1;
  if (hits.size() < 3) return {};
  std::map<uint32_t, size_t> distances;
  for (size_t i = 1; i < hits.size(); ++i) ++distances[hits[i] - hits[i - 1]];
  const auto most = std::max_element(distances.begin(), distances.end(),
                                     [](auto& a, auto& b) { return a.second < b.second; });
  if (most->second * 10 < (hits.size() - 1) * 8) return {};
  return most->first;
}

}  // namespace gpustall::collect
