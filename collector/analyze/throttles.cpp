#include "collector/analyze/throttles.h"

#include <algorithm>
#include <charconv>

#include "collector/cpu_quota.h"

namespace gpustall::collect {
namespace {

constexpr int64_t kMicrosecond = 1'000;

// Of one period; no bound where the quota is not known.
int64_t longest_stop(const Process& process) {
  const auto text = process.info.find("cpu.quota");
  if (text == process.info.end()) return INT64_MAX;
  const std::optional<CpuQuota> quota = cpu_quota(text->second);
  int64_t cpus = 1;
  if (const auto allowed = process.info.find("cpu.allowed"); allowed != process.info.end())
    std::from_chars(allowed->second.data(), allowed->second.data() + allowed->second.size(), cpus);
  if (!quota || cpus <= 0) return INT64_MAX;
  return std::max<int64_t>(0, quota->period_us - quota->runs_us / cpus) * kMicrosecond;
}

}  // namespace

std::vector<Throttle> find_throttles(const Recording& recording) {
  std::vector<Throttle> out;
  const Counters& c = recording.counters;
  size_t before = c.size();  // the row before of this key and process
  for (size_t i = 0; i < c.size(); ++i) {
    if (recording.text(c.key[i]) != trace::kThrottledCounter) continue;
    if (before != c.size() && c.process[before] == c.process[i] && c.value[i] > c.value[before]) {
      const int64_t longest = longest_stop(recording.processes[raw(c.process[i])]);
      const int64_t stopped =
          std::min({c.value[i] - c.value[before], longest, c.time[i] - c.time[before]});
      if (stopped > 0) out.push_back({c.process[i], c.time[i] - stopped, c.time[i]});
    }
    before = i;
  }
  return out;
}

}  // namespace gpustall::collect
