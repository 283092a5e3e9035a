// The trace file of one process and epoch: created exclusively, mapped shared, grown by fallocate
// before any store, so that a store cannot meet a hole (SIGBUS). Chunks are claimed by one
// compare-and-swap. When room ends (cap, disk), it ends for good: what was written first is kept.
#pragma once
#include <atomic>
#include <cstdint>

#include "libinterpose/trace/format.h"

namespace gpustall::interpose {

enum class FullReason : uint32_t { None, SizeCap, Disk, Io, Ended };

class TraceFile {
 public:
  // Opens on the first call; later calls return at once. False: there is no file (said by diag).
  bool open() noexcept;
  bool is_open() const noexcept { return state_.load(std::memory_order_acquire) == kOpen; }
  trace::FileHeader* header() const noexcept {
    return reinterpret_cast<trace::FileHeader*>(is_open() ? map_ : nullptr);
  }
  // A fresh, populated chunk of zeros, or null when there is no room.
  trace::ChunkHeader* claim() noexcept;
  // The stream of this chunk has ended: the helper gives its unused pages back to the disk, so that
  // a thousand short-lived threads do not cost a thousand chunks. Forgets some when they come fast.
  void retire(const trace::ChunkHeader* chunk, uint32_t used) noexcept;
  // Gives back the pages of at most `limit` retired chunks. Each call holds up the page faults of
  // the file for 0.2 ms, so a few at a time; for the helper.
  void punch_retired(unsigned limit) noexcept;
  // Keeps room and populated pages ahead of the claims; for the helper.
  void work_ahead() noexcept;
  // Cuts the file to its used length and marks a clean end; no claim succeeds afterwards.
  void finish() noexcept;
  FullReason full() const noexcept { return full_.load(std::memory_order_relaxed); }

 private:
  static constexpr unsigned kRetired = 1024;
  static constexpr uint32_t kOpen = 2, kOpening = 1, kFailed = 3;

  bool create() noexcept;
  bool map() noexcept;
  void write_header() noexcept;
  bool grow(uint32_t chunks) noexcept;
  bool extend_file(uint64_t from, uint64_t to) noexcept;
  bool descriptor_is_ours() noexcept;
  bool populate(uint32_t from, uint32_t to) noexcept;
  uint64_t offset_of(uint32_t chunk) const noexcept {
    return trace::kHeaderBytes + uint64_t{chunk} * trace::kChunkBytes;
  }

  std::atomic<uint32_t> state_;
  std::atomic<FullReason> full_;
  std::atomic<uint64_t> room_;  // allocated chunks << 32 | claimed chunks
  std::atomic<uint32_t> populated_;
  std::atomic<uint32_t> growing_;
  std::atomic<uint32_t> retired_count_;
  std::atomic<uint64_t> retired_[kRetired];  // file offset of the first unused page, 0: none
  uint32_t max_chunks_;
  int fd_;
  uint64_t device_, inode_;
  uint8_t* map_;
  uint64_t map_bytes_;
  char path_[4096];
};

// In a forked child: the parent's descriptor is of no use here.
void close_inherited_file() noexcept;

}  // namespace gpustall::interpose
