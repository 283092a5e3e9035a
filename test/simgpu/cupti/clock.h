// The time of records. Device time is simgpu::now_ns(), CLOCK_MONOTONIC. Two readings of it are
// given out:
//   by default   device time + one offset to CLOCK_REALTIME, fixed when the library is loaded:
//   exact to the
//                nanosecond, so busy time computed from records equals the ground-truth log
//   by callback  a straight line through (device time, client's timestamp), one end fixed at
//   registration,
//                the other moved at each delivery, as the real library interpolates
// Must never block: it is called on application threads at every API call that is recorded.
#pragma once
#include <atomic>
#include <cstdint>
#include <mutex>

namespace simgpu::cupti {

using TimestampCallback = uint64_t (*)();

class Clock {
 public:
  Clock();
  // Same callback again: keeps the line. Another one: a new line from here on.
  void set_callback(TimestampCallback callback);
  uint64_t now() const;  // a host-side stamp: the callback itself, if there is one
  uint64_t from_device(int64_t device_ns) const;
  void refresh();  // moves the line's far end to now; once per delivery

 private:
  struct Anchor {
    int64_t device_ns;
    uint64_t stamp;
  };
  static Anchor sample(TimestampCallback callback);

  int64_t offset_ns_;
  std::atomic<TimestampCallback> callback_{nullptr};
  mutable std::mutex line_mutex_;
  Anchor origin_{};
  double stamps_per_ns_ = 1.0;
};

Clock& record_clock();

}  // namespace simgpu::cupti
