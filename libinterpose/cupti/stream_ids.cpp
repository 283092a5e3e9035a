// A small hash table, filled without locks: a slot is claimed, its id written, its key last; who
// meets a slot that is being filled goes on to the next one.
#include "libinterpose/cupti/stream_ids.h"

#include <atomic>

#include "libinterpose/cupti/session.h"

namespace gpustall::interpose::cupti {
namespace {

constexpr unsigned kSlots = 1024, kProbes = 8;
constexpr uint64_t kBusy = 2;  // no key: keys are odd
struct Slot {
  std::atomic<uint64_t> key;  // 0: free, kBusy: being filled
  std::atomic<uint32_t> id;   // 0: forgotten
};
Slot g_slots[kSlots];

// 64 bits of hash stand for the pair: a collision among a few streams does not happen.
uint64_t key_of(CUcontext context, CUstream stream) noexcept {
  uint64_t h = reinterpret_cast<uint64_t>(context) * 0x9E3779B97F4A7C15u;
  h ^= (h >> 29) + reinterpret_cast<uint64_t>(stream);
  h *= 0xBF58476D1CE4E5B9u;
  h ^= h >> 32;
  return h | 1;
}

uint32_t ask_cupti(CUcontext context, CUstream stream, bool per_thread) noexcept {
  uint32_t id = 0;
  const CuptiApi& cupti = api();
  if (cupti.GetStreamIdEx == nullptr || context == nullptr) return 0;
  if (cupti.GetStreamIdEx(context, stream, per_thread, &id) != CUPTI_SUCCESS) return 0;
  return id;
}

}  // namespace

uint32_t stream_id(CUcontext context, CUstream stream, bool per_thread) noexcept {
  if (stream == CU_STREAM_PER_THREAD) {
    stream = nullptr;
    per_thread = true;
  } else if (stream == CU_STREAM_LEGACY) {
    stream = nullptr;
    per_thread = false;
  }
  // A thread's own default stream differs from thread to thread: not kept.
  if (stream == nullptr && per_thread) return ask_cupti(context, stream, true);
  const uint64_t key = key_of(context, stream);
  for (unsigned probe = 0; probe < kProbes; ++probe) {
    Slot& slot = g_slots[(key + probe) % kSlots];
    uint64_t held = slot.key.load(std::memory_order_acquire);
    if (held == 0) {
      const uint32_t id = ask_cupti(context, stream, false);
      if (id != 0 && slot.key.compare_exchange_strong(held, kBusy, std::memory_order_relaxed)) {
        slot.id.store(id, std::memory_order_relaxed);
        slot.key.store(key, std::memory_order_release);
      }
      return id;
    }
    if (held != key) continue;
    const uint32_t id = slot.id.load(std::memory_order_relaxed);
    if (id != 0) return id;
    const uint32_t again = ask_cupti(context, stream, false);
    slot.id.store(again, std::memory_order_relaxed);
    return again;
  }
  return ask_cupti(context, stream, false);
}

void forget_stream(CUcontext context, CUstream stream) noexcept {
  const uint64_t key = key_of(context, stream);
  for (unsigned probe = 0; probe < kProbes; ++probe) {
    Slot& slot = g_slots[(key + probe) % kSlots];
    const uint64_t held = slot.key.load(std::memory_order_acquire);
    if (held == 0) return;
    if (held == key) slot.id.store(0, std::memory_order_relaxed);
  }
}

}  // namespace gpustall::interpose::cupti
