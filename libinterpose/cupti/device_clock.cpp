// cuptiGetTimestamp between two host readings; half the bracket is the error.
#include "libinterpose/cupti/device_clock.h"

#include "libinterpose/cupti/session.h"
#include "libinterpose/recorder.h"

namespace gpustall::interpose::cupti {

void sample_device_clock(HookGuard& guard) noexcept {
  constexpr int kReadings = 5;
  int64_t best = INT64_MAX;
  trace::DeviceClock record;
  for (int i = 0; i < kReadings; ++i) {
    uint64_t device = 0;
    const int64_t before = now_ticks();
    if (api().GetTimestamp(&device) != CUPTI_SUCCESS) return;
    const int64_t width = now_ticks() - before;
    if (width < 0 || width >= best) continue;
    best = width;
    record.ticks = before + width / 2;
    record.device_ns = static_cast<int64_t>(device);
  }
  if (best == INT64_MAX) return;
  constexpr int64_t kMillisecond = 1000000;
  record.error_ns =
      static_cast<uint64_t>(best / 2 * kMillisecond / ticks_from_ns(kMillisecond) + 1);
  emit(guard, record);
}

}  // namespace gpustall::interpose::cupti
