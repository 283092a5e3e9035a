#include "collector/analyze/fault_times.h"

namespace gpustall::collect {
namespace {

constexpr uint64_t kAroundNs = 80'000'000;  // CPU time that is enough to compare ticks
constexpr uint64_t kFaultsPerMs = 5;        // of CPU time: fewer than 200 us apart, huge pages too

// More than half of the CPU time between two samples was the kernel's, and pages came all along.
bool faults_between(const Samples& s, size_t a, size_t b) {
  const uint64_t cpu = s.cpu_ns[b] - s.cpu_ns[a], system = s.system_ns[b] - s.system_ns[a];
  const uint64_t faults = s.minor_faults[b] - s.minor_faults[a];
  return system * 2 > cpu && faults * 1'000'000 > cpu * kFaultsPerMs;
}

}  // namespace

std::vector<bool> find_faulting(const Samples& s) {
  std::vector<bool> faulting(s.size());
  for (size_t first = 0; first < s.size();) {
    size_t end = first;
    while (end < s.size() && s.thread[end] == s.thread[first]) ++end;
    size_t a = first, b = first;
    for (size_t i = first; i < end; ++i) {
      while (a < i && s.cpu_ns[i] > s.cpu_ns[a + 1] + kAroundNs / 2) ++a;
      while (b + 1 < end && s.cpu_ns[b] < s.cpu_ns[i] + kAroundNs / 2) ++b;
      // Readings that know less than the ones before them are of another kind.
      faulting[i] = s.system_ns[b] > s.system_ns[a] && s.cpu_ns[b] > s.cpu_ns[a] &&
                    s.minor_faults[b] > s.minor_faults[a] && faults_between(s, a, b);
    }
    first = end;
  }
  return faulting;
}

}  // namespace gpustall::collect
