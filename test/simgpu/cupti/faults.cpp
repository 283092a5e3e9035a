// See faults.h. Called under the delivery lock only, hence the plain counter.
#include "faults.h"

#include <csignal>

#include "settings.h"

namespace simgpu::cupti {
namespace {

bool hits(uint32_t every, uint64_t count) {
  return every != 0 && count % every == 0;
}

RecordTimes nonsense(uint64_t count, const RecordTimes& times) {
  switch (count % 3) {
    case 0:
      return {times.end, times.start};  // ends before it starts
    case 1:
      return {times.start, times.start + (uint64_t{1} << 62)};  // ends in a century
    default:
      return {12345, 12346};  // decades ago
  }
}

}  // namespace

bool apply_faults(const PendingRecord& record, RecordTimes* times) {
  static uint64_t count = 0, garbage_count = 0;
  if (!std::holds_alternative<DeviceWork>(record.body)) return true;
  ++count;
  const Settings& s = settings();
  if (s.crash_at != 0 && count == s.crash_at) std::raise(SIGSEGV);
  if (hits(s.drop_every, count)) return false;
  if (hits(s.zero_every, count)) *times = {0, 0};
  if (hits(s.garbage_every, count)) *times = nonsense(garbage_count++, *times);
  return true;
}

}  // namespace simgpu::cupti
