// Memory that chunks are written in before they go to the file: anonymous, so that no store of a
// program's thread can meet a file that was cut, a disk that is full or a server that is gone (a
// store through a mapping of the file raises SIGBUS then). Slots are found by one compare-and-swap,
// lowest first, so that few pages are used again and again; they are bounded, and what does not fit
// is the caller's to count. Lives in memory that fork wipes; its own pages do not exist in a child.
#pragma once
#include <atomic>
#include <cstdint>

#include "libinterpose/trace/format.h"

namespace gpustall::interpose {

class ChunkPool {
 public:
  static constexpr unsigned kSlots = 2048;  // 128 MiB, of which what is in flight exists

  struct Slot {
    std::atomic<bool> sealed;  // its stream writes no more into it
    uint32_t file_chunk;       // where in the file it goes
    uint32_t written;          // payload bytes that are in the file; the writer's
  };

  // A slot whose pages are there and whose chunk header is zero; negative when there is none.
  int take() noexcept;
  // Only once nobody writes into it.
  void release(unsigned slot) noexcept;
  Slot& operator[](unsigned slot) noexcept { return slots_[slot]; }
  trace::ChunkHeader* chunk(unsigned slot) noexcept;
  // Of a chunk that was taken here.
  unsigned slot_of(const trace::ChunkHeader* chunk) noexcept;
  // Calls f(slot) for each that is taken.
  template <class F>
  void each_taken(F f) noexcept {
    for (unsigned word = 0; word < kSlots / 64; ++word)
      for (uint64_t bits = taken_[word].load(std::memory_order_acquire); bits != 0;
           bits &= bits - 1)
        f(word * 64 + static_cast<unsigned>(__builtin_ctzll(bits)));
  }
  // Has the pages of the next few slots ready, so that no thread waits for them; for the helper.
  void populate_ahead() noexcept;

 private:
  static constexpr unsigned kSlabSlots = 256;

  uint8_t* slab(unsigned index) noexcept;
  void populate(unsigned from, unsigned to) noexcept;

  std::atomic<uint64_t> taken_[kSlots / 64];
  std::atomic<uint8_t*> slabs_[kSlots / kSlabSlots];
  std::atomic<unsigned> populated_;  // slots below have their pages
  Slot slots_[kSlots];
};

}  // namespace gpustall::interpose
