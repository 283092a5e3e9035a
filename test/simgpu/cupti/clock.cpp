// See clock.h. An anchor is the tightest of several readings of the client's clock between two of
// ours: on a busy two-core machine single readings are off by up to a scheduling slice.
#include "clock.h"

#include <time.h>

#include <cmath>

#include "../core/api_scope.h"

namespace simgpu::cupti {
namespace {

constexpr int kReadings = 15;
// A shorter base would turn the reading error (about 20 ns) into a visible error of kernel
// durations.
constexpr int64_t kShortestBaseNs = 2'000'000;

uint64_t realtime_ns() {
  timespec t{};
  clock_gettime(CLOCK_REALTIME, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

}  // namespace

Clock::Anchor Clock::sample(TimestampCallback callback) {
  Anchor best{};
  int64_t best_width = INT64_MAX;
  for (int i = 0; i < kReadings; ++i) {
    const int64_t before = now_ns();
    const uint64_t stamp = callback();
    const int64_t width = now_ns() - before;
    if (width >= best_width) continue;
    best_width = width;
    best = {before + width / 2, stamp};
  }
  return best;
}

Clock::Clock() {
  const Anchor real = sample(&realtime_ns);
  offset_ns_ = static_cast<int64_t>(real.stamp) - real.device_ns;
}

void Clock::set_callback(TimestampCallback callback) {
  const std::lock_guard lock(line_mutex_);
  if (callback == callback_.load(std::memory_order_relaxed)) return;
  if (callback != nullptr) origin_ = sample(callback);
  stamps_per_ns_ = 1.0;
  callback_.store(callback, std::memory_order_release);
}

uint64_t Clock::now() const {
  const TimestampCallback callback = callback_.load(std::memory_order_acquire);
  return callback != nullptr ? callback() : static_cast<uint64_t>(now_ns() + offset_ns_);
}

uint64_t Clock::from_device(int64_t device_ns) const {
  if (callback_.load(std::memory_order_acquire) == nullptr) {
    return static_cast<uint64_t>(device_ns + offset_ns_);
  }
  const std::lock_guard lock(line_mutex_);
  const double distance = static_cast<double>(device_ns - origin_.device_ns) * stamps_per_ns_;
  return origin_.stamp + static_cast<uint64_t>(std::llround(distance));
}

void Clock::refresh() {
  const TimestampCallback callback = callback_.load(std::memory_order_acquire);
  if (callback == nullptr) return;
  while (now_ns() - origin_.device_ns < kShortestBaseNs) {
  }
  const Anchor end = sample(callback);
  const std::lock_guard lock(line_mutex_);
  const auto base_ns = static_cast<double>(end.device_ns - origin_.device_ns);
  stamps_per_ns_ = static_cast<double>(static_cast<int64_t>(end.stamp - origin_.stamp)) / base_ns;
}

Clock& record_clock() {
  static Clock* clock = new Clock;  // lives as long as the process: threads may stamp during exit
  return *clock;
}

}  // namespace simgpu::cupti
