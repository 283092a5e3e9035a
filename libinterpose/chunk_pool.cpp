#include "libinterpose/chunk_pool.h"

#include <sys/mman.h>

#include <bit>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace gpustall::interpose {

using trace::kChunkBytes;

namespace {
constexpr unsigned kPopulateAhead = 16;
}

int ChunkPool::take() noexcept {
  for (unsigned word = 0; word < kSlots / 64; ++word) {
    uint64_t taken = taken_[word].load(std::memory_order_relaxed);
    while (~taken != 0) {
      const int bit = std::countr_one(taken);
      if (!taken_[word].compare_exchange_weak(taken, taken | uint64_t{1} << bit,
                                              std::memory_order_acq_rel))
        continue;
      const unsigned slot = word * 64 + static_cast<unsigned>(bit);
      if (slab(slot / kSlabSlots) == nullptr) {
        taken_[word].fetch_and(~(uint64_t{1} << bit), std::memory_order_release);
        return -1;
      }
      if (slot >= populated_.load(std::memory_order_relaxed)) populate(slot, slot + 1);
      return static_cast<int>(slot);
    }
  }
  return -1;
}

void ChunkPool::release(unsigned slot) noexcept {
  __builtin_memset(chunk(slot), 0, sizeof(trace::ChunkHeader));
  slots_[slot].sealed.store(false, std::memory_order_relaxed);
  taken_[slot / 64].fetch_and(~(uint64_t{1} << slot % 64), std::memory_order_release);
}

trace::ChunkHeader* ChunkPool::chunk(unsigned slot) noexcept {
  uint8_t* base = slabs_[slot / kSlabSlots].load(std::memory_order_acquire);
  return reinterpret_cast<trace::ChunkHeader*>(base + size_t{slot % kSlabSlots} * kChunkBytes);
}

unsigned ChunkPool::slot_of(const trace::ChunkHeader* chunk) noexcept {
  const auto at = reinterpret_cast<uintptr_t>(chunk);
  for (unsigned i = 0; i < kSlots / kSlabSlots; ++i) {
    const auto base = reinterpret_cast<uintptr_t>(slabs_[i].load(std::memory_order_relaxed));
    if (base != 0 && at - base < uintptr_t{kSlabSlots} * kChunkBytes)
      return i * kSlabSlots + static_cast<unsigned>((at - base) / kChunkBytes);
  }
  return kSlots;
}

uint8_t* ChunkPool::slab(unsigned index) noexcept {
  constexpr size_t kBytes = size_t{kSlabSlots} * kChunkBytes;
  uint8_t* now = slabs_[index].load(std::memory_order_acquire);
  if (now != nullptr) return now;
  void* at = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  ::madvise(at, kBytes, MADV_DONTFORK);  // nor are our pages copied when the parent writes on
  ::madvise(at, kBytes, MADV_DONTDUMP);
  ::madvise(at, kBytes, MADV_NOHUGEPAGE);  // the first touch would clear 2 MiB
  if (slabs_[index].compare_exchange_strong(now, static_cast<uint8_t*>(at),
                                            std::memory_order_acq_rel))
    return static_cast<uint8_t*>(at);
  ::munmap(at, kBytes);
  return now;
}

// Before Linux 5.14 the stores fault the pages in.
void ChunkPool::populate(unsigned from, unsigned to) noexcept {
  ::madvise(chunk(from), size_t{to - from} * kChunkBytes, MADV_POPULATE_WRITE);
}

void ChunkPool::populate_ahead() noexcept {
  unsigned highest = 0;
  each_taken([&](unsigned slot) { highest = slot; });
  const unsigned done = populated_.load(std::memory_order_relaxed);
  if (done > highest + kPopulateAhead / 2) return;
  // Within one slab: the next round does the rest.
  unsigned to = (done / kSlabSlots + 1) * kSlabSlots;
  if (to > highest + kPopulateAhead) to = highest + kPopulateAhead;
  if (done >= to || done >= kSlots || slab(done / kSlabSlots) == nullptr) return;
  populate(done, to);
  populated_.store(to, std::memory_order_relaxed);
}

}  // namespace gpustall::interpose
