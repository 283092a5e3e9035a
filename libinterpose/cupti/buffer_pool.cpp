// One address range holds 64 slots, whose pages exist only once touched, so being ours is a
// comparison and a slot's state is one bit. What does not fit lives in a second, one-off range
// list.
#include "libinterpose/cupti/buffer_pool.h"

#include <sys/mman.h>

#include <atomic>
#include <bit>
#include <cstring>

namespace gpustall::interpose::cupti {
namespace {

constexpr unsigned kSlots = 64;
constexpr unsigned kSpares = 256;  // 512 MiB more: a program that far behind is lost anyway

std::atomic<uint8_t*> g_base{nullptr};
std::atomic<uint64_t> g_taken{0};
std::atomic<uint8_t*> g_spares[kSpares];

uint8_t* map(size_t bytes) noexcept {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<uint8_t*>(memory);
}

uint8_t* base() noexcept {
  uint8_t* now = g_base.load(std::memory_order_acquire);
  if (now != nullptr) return now;
  uint8_t* fresh = map(kSlots * kBufferBytes);
  if (fresh == nullptr) return nullptr;
  if (g_base.compare_exchange_strong(now, fresh, std::memory_order_acq_rel)) return fresh;
  munmap(fresh, kSlots * kBufferBytes);
  return now;
}

uint8_t* take_spare() noexcept {
  uint8_t* fresh = map(kBufferBytes);
  if (fresh == nullptr) return nullptr;
  for (auto& spare : g_spares) {
    uint8_t* empty = nullptr;
    if (spare.compare_exchange_strong(empty, fresh, std::memory_order_acq_rel)) return fresh;
  }
  return fresh;  // leaks at completion, rather than a null buffer now
}

}  // namespace

uint8_t* take_buffer() noexcept {
  uint8_t* const pool = base();
  uint64_t taken = g_taken.load(std::memory_order_relaxed);
  while (pool != nullptr && ~taken != 0) {
    const int slot = std::countr_one(taken);
    const uint64_t bit = uint64_t{1} << slot;
    // acquire: the zeroes of the returning thread are ours now
    if (g_taken.compare_exchange_weak(taken, taken | bit, std::memory_order_acquire))
      return pool + static_cast<size_t>(slot) * kBufferBytes;
  }
  return take_spare();
}

bool is_our_buffer(const uint8_t* buffer) noexcept {
  const uint8_t* pool = g_base.load(std::memory_order_acquire);
  if (pool != nullptr && buffer >= pool && buffer < pool + kSlots * kBufferBytes) return true;
  for (auto& spare : g_spares)
    if (spare.load(std::memory_order_acquire) == buffer) return true;
  return false;
}

void return_buffer(uint8_t* buffer) noexcept {
  uint8_t* pool = g_base.load(std::memory_order_acquire);
  if (pool != nullptr && buffer >= pool && buffer < pool + kSlots * kBufferBytes) {
    // All of it, not only the valid part: CUPTI is told that buffers arrive zeroed. 60 us, here
    // and not in the launching thread.
    memset(buffer, 0, kBufferBytes);
    const auto slot = static_cast<unsigned>((buffer - pool) / static_cast<ptrdiff_t>(kBufferBytes));
    g_taken.fetch_and(~(uint64_t{1} << slot), std::memory_order_release);
    return;
  }
  for (auto& spare : g_spares) {
    uint8_t* expected = buffer;
    if (spare.compare_exchange_strong(expected, nullptr)) {
      munmap(buffer, kBufferBytes);
      return;
    }
  }
}

unsigned buffers_in_flight() noexcept {
  unsigned count = static_cast<unsigned>(std::popcount(g_taken.load(std::memory_order_relaxed)));
  for (auto& spare : g_spares) count += spare.load(std::memory_order_relaxed) != nullptr;
  return count;
}

}  // namespace gpustall::interpose::cupti
