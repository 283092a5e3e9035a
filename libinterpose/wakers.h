// The last waker of every semaphore and condition variable: one hashed store when it wakes, read
// when a wait ends. Two objects in one slot forget the older one; the address is checked.
#pragma once
#include <atomic>
#include <cstdint>

namespace gpustall::interpose {

struct WakerSlot {
  std::atomic<uint64_t> object;
  std::atomic<uint64_t> stamp;  // tid << 42 | low 42 bits of the ticks
};
inline constexpr unsigned kWakerSlots = 4096;
inline constexpr uint64_t kWakerTicksMask = (uint64_t{1} << 42) - 1;
extern WakerSlot g_wakers[kWakerSlots];

inline WakerSlot& waker_slot(uint64_t object) noexcept {
  return g_wakers[object * 0x9e3779b97f4a7c15u >> 52];
}
inline void note_waker(uint64_t object, uint32_t tid, int64_t ticks) noexcept {
  WakerSlot& slot = waker_slot(object);
  slot.object.store(object, std::memory_order_relaxed);
  slot.stamp.store(uint64_t{tid} << 42 | (static_cast<uint64_t>(ticks) & kWakerTicksMask),
                   std::memory_order_release);
}

struct Waker {
  uint32_t tid;  // 0: none within the wait
  uint64_t lag;  // ticks from the wake to the wait's end
};
inline Waker find_waker(uint64_t object, int64_t end, uint64_t duration) noexcept {
  const WakerSlot& slot = waker_slot(object);
  const uint64_t stamp = slot.stamp.load(std::memory_order_acquire);
  if (slot.object.load(std::memory_order_relaxed) != object) return {};
  const uint64_t lag = (static_cast<uint64_t>(end) - stamp) & kWakerTicksMask;
  if (lag > duration) return {};  // of an earlier wait
  return {static_cast<uint32_t>(stamp >> 42), lag};
}

}  // namespace gpustall::interpose
