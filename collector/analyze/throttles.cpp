#include "collector/analyze/throttles.h"

#include <algorithm>
#include <charconv>

namespace gpustall::collect {
namespace {

constexpr int64_t kMicrosecond = 1'000;

int64_t number_at(std::string_view text, size_t at, int64_t otherwise) {
  int64_t value = otherwise;
  if (at < text.size()) std::from_chars(text.data() + at, text.data() + text.size(), value);
  return value;
}

// Of one period; no bound where the quota is not known.
int64_t longest_stop(const Process& process) {
  const auto quota = process.info.find("cpu.quota");
  if (quota == process.info.end()) return INT64_MAX;
  const std::string& text = quota->second;  // "quota period", microseconds
  const int64_t runs = number_at(text, 0, 0);
  const int64_t period = number_at(text, text.find(' ') + 1, 0);
  const auto allowed = process.info.find("cpu.allowed");
  const int64_t cpus = allowed == process.info.end() ? 1 : number_at(allowed->second, 0, 1);
  if (runs <= 0 || period <= 0 || cpus <= 0) return INT64_MAX;
  return std::max<int64_t>(0, period - runs / cpus) * kMicrosecond;
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
