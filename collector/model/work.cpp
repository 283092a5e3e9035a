#include "collector/model/work.h"

#include <algorithm>
#include <unordered_map>

namespace gpustall::collect {
namespace {

constexpr size_t kMostRows = 100;

const char* memory_name(uint8_t kind) {
  return kind == kPageable ? ", pageable" : kind == kPinned ? ", pinned" : "";
}

std::string name_of_copy(const Activities& a, size_t i) {
  switch (a.copy_kind[i]) {
    case kHostToDevice:
      return std::string("copy host to device") + memory_name(a.src_kind[i]);
    case kDeviceToHost:
      return std::string("copy device to host") + memory_name(a.dst_kind[i]);
    case kDeviceToDevice:
      return "copy device to device";
    case kPeerToPeer:
      return "copy peer to peer";
    default:
      return "copy";
  }
}

std::string name_of(const Recording& r, size_t i) {
  if (r.activities.kind[i] == ActivityKind::Memcpy) return name_of_copy(r.activities, i);
  if (r.activities.kind[i] == ActivityKind::Memset) return "memset";
  if (r.activities.kind[i] == ActivityKind::Graph) return "graph launch";
  return std::string(r.text(r.activities.name[i]));
}

uint64_t key_of(const Activities& a, size_t i) {
  const bool copy = a.kind[i] == ActivityKind::Memcpy;
  const uint64_t memory =
      copy ? a.copy_kind[i] << 16 | a.src_kind[i] << 8 | a.dst_kind[i] : raw(a.name[i]);
  return uint64_t{static_cast<uint8_t>(a.kind[i])} << 32 | memory;
}

int64_t median(std::vector<int64_t>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::vector<WorkRow> work_of(const Recording& r, DeviceIndex device, TraceTime start,
                             TraceTime end) {
  const Activities& a = r.activities;
  std::unordered_map<uint64_t, size_t> known;
  std::vector<WorkRow> rows;
  for (size_t i = 0; i < a.size(); ++i) {
    if (r.device_of(i) != device || a.start[i] < start || a.start[i] >= end) continue;
    const auto [at, fresh] = known.try_emplace(key_of(a, i), rows.size());
    if (fresh) rows.push_back({name_of(r, i), 0, 0, 0});
    WorkRow& row = rows[at->second];
    ++row.count;
    row.ns += a.end[i] - a.start[i];
    if (a.kind[i] == ActivityKind::Memcpy) row.bytes += a.bytes[i];
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const WorkRow& x, const WorkRow& y) { return x.ns > y.ns; });
  if (rows.size() <= kMostRows) return rows;
  WorkRow others{"others", 0, 0, 0};
  for (size_t i = kMostRows; i < rows.size(); ++i) {
    others.count += rows[i].count;
    others.ns += rows[i].ns;
    others.bytes += rows[i].bytes;
  }
  rows.resize(kMostRows);
  rows.push_back(std::move(others));
  return rows;
}

std::optional<HostPace> pace_of(const Recording& r, ProcessIndex process, TraceTime start,
                                TraceTime end) {
  const Calls& c = r.calls;
  std::vector<int64_t> call, between;
  const auto is_launch = [&](size_t i) {
    return trace::class_of(c.call[i]) == trace::CallClass::Launch &&
           r.threads[raw(c.thread[i])].process == process && c.start[i] >= start && c.end[i] < end;
  };
  for (size_t i = 0; i < c.size(); ++i) {
    if (!is_launch(i)) continue;
    call.push_back(c.end[i] - c.start[i]);
    const bool next_is_launch = i + 1 < c.size() && c.thread[i + 1] == c.thread[i];
    if (next_is_launch && is_launch(i + 1)) between.push_back(c.start[i + 1] - c.end[i]);
  }
  if (call.empty()) return {};
  HostPace pace;
  pace.launches = call.size();
  pace.launch_call_ns = median(call);
  pace.between_launches_ns = median(between);
  return pace;
}

}  // namespace gpustall::collect
