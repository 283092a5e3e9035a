// The mode of a histogram: the mean would follow the tail (first uses, busy streams), the minimum
// the clock's reading errors.
#include "collector/analyze/latency.h"

#include <algorithm>
#include <array>

namespace gpustall::collect {
namespace {

constexpr int64_t kBinNs = 250;
constexpr int64_t kLowNs = -25'000, kHighNs = 225'000;
constexpr size_t kBins = (kHighNs - kLowNs) / kBinNs;
constexpr int64_t kToleranceNs = 2'000;

class Histogram {
 public:
  void add(int64_t value) {
    if (value < kLowNs || value >= kHighNs) return;
    ++bins_[static_cast<size_t>((value - kLowNs) / kBinNs)];
    values_.push_back(value);
  }

  LaunchLatency result(int64_t clock_error) {
    LaunchLatency latency;
    if (!values_.empty()) latency.normal_ns = std::max<int64_t>(0, mode());
    latency.limit_ns =
        std::max(2 * latency.normal_ns, latency.normal_ns + kToleranceNs + clock_error);
    return latency;
  }

 private:
  // The fullest three neighbouring bins, then the median of what is in them.
  int64_t mode() {
    size_t best = 0;
    uint64_t best_count = 0;
    for (size_t i = 0; i + 2 < kBins; ++i) {
      const uint64_t count = uint64_t{bins_[i]} + bins_[i + 1] + bins_[i + 2];
      if (count > best_count) best = i, best_count = count;
    }
    const int64_t low = kLowNs + static_cast<int64_t>(best) * kBinNs, high = low + 3 * kBinNs;
    const auto end = std::partition(values_.begin(), values_.end(),
                                    [&](int64_t v) { return v >= low && v < high; });
    const auto middle = values_.begin() + (end - values_.begin()) / 2;
    std::nth_element(values_.begin(), middle, end);
    return *middle;
  }

  std::array<uint32_t, kBins> bins_{};
  std::vector<int64_t> values_;
};

}  // namespace

std::vector<LaunchLatency> measure_latency(const Recording& recording, const Links& links,
                                           const std::vector<ClockMap>& clocks) {
  const Activities& a = recording.activities;
  std::vector<Histogram> histograms(recording.processes.size());
  std::vector<TraceTime> busy_until(recording.queues.size(), INT64_MIN);
  for (size_t i = 0; i < a.size(); ++i) {
    const uint32_t queue = raw(a.queue[i]);
    const TraceTime free_since = busy_until[queue];
    busy_until[queue] = std::max(free_since, a.end[i]);
    if (a.kind[i] != ActivityKind::Kernel || links.call_of[i] == kNoIndex) continue;
    const uint32_t process = raw(recording.queues[queue].process);
    const uint32_t call = links.call_of[i];
    // Empty when it was asked for: the stream's last work ended before the call began.
    if (free_since != INT64_MIN &&
        clocks[process].to_host(free_since) > recording.calls.start[call])
      continue;
    histograms[process].add(clocks[process].to_host(a.start[i]) - recording.calls.end[call]);
  }
  std::vector<LaunchLatency> result;
  for (size_t p = 0; p < histograms.size(); ++p)
    result.push_back(histograms[p].result(clocks[p].error_ns()));
  return result;
}

}  // namespace gpustall::collect
