// The trace file of one process and epoch. It is created exclusively and written by write calls
// alone: threads write records into chunks in memory (chunk_pool.h), which drain() copies to the
// file, every 20 ms on the helper thread, at the end of waits where there is none. So nothing that
// happens to the file (cut, disk full, server gone) can hurt the program, and SIGKILL loses what
// was committed since the last drain. When room ends (cap, disk), it ends for good: what was
// written first is kept.
#pragma once
#include <atomic>
#include <cstdint>

#include "libinterpose/chunk_pool.h"
#include "libinterpose/trace/format.h"

namespace gpustall::interpose {

enum class FullReason : uint32_t { None, SizeCap, Limit, Disk, Io, Ended };

class TraceFile {
 public:
  // Opens on the first call; later calls return at once. False: there is no file (said by diag).
  bool open() noexcept;
  bool is_open() const noexcept { return state_.load(std::memory_order_acquire) == kOpen; }
  // In memory; its live fields reach the file with the next drain.
  trace::FileHeader* header() noexcept { return is_open() ? &header_ : nullptr; }
  // A fresh chunk whose header is zero, or null when there is no room. It belongs to the caller
  // from its magic, stored last with release order, to seal().
  trace::ChunkHeader* claim() noexcept;
  void seal(const trace::ChunkHeader* chunk) noexcept;
  // Copies what was committed since the last call to the file; returns at once when another thread
  // is at it.
  void drain() noexcept;
  // On a thread of ours: a table of descriptors of its own, in which the file stays open whatever
  // the program closes. False: refused, it shares the program's.
  bool leave_descriptors() noexcept;
  // Keeps room in the file and memory ahead of the claims; for the helper.
  void work_ahead() noexcept;
  // The last drain; cuts the file to its used length and marks a clean end. No claim or drain
  // succeeds afterwards.
  void finish() noexcept;
  FullReason full() const noexcept { return full_.load(std::memory_order_relaxed); }
  // Once, after somebody has cut the file: what was in it is lost.
  bool take_cut() noexcept { return cut_.exchange(false, std::memory_order_relaxed); }

 private:
  static constexpr uint32_t kOpen = 2, kOpening = 1, kFailed = 3;

  bool create() noexcept;
  void fill_header() noexcept;
  bool grow(uint32_t chunks) noexcept;
  bool extend_file(uint64_t to) noexcept;
  int& descriptor() noexcept;
  bool descriptor_is_ours() noexcept;
  bool write_at(const void* from, size_t bytes, uint64_t at) noexcept;
  void drain_locked() noexcept;
  void restore_if_cut() noexcept;
  bool write_chunk(unsigned slot) noexcept;
  void write_header() noexcept;
  void count_unwritten() noexcept;
  uint64_t offset_of(uint32_t chunk) const noexcept {
    return trace::kHeaderBytes + uint64_t{chunk} * trace::kChunkBytes;
  }

  std::atomic<uint32_t> state_;
  std::atomic<FullReason> full_;
  std::atomic<uint64_t> room_;  // chunks that the file may have << 32 | claimed chunks
  std::atomic<uint32_t> growing_, writing_;
  std::atomic<uint64_t> end_;       // of the file, as we made it
  std::atomic<bool> shrunk_, cut_;  // seen while growing; to be told
  uint32_t max_chunks_;
  int fd_, own_fd_;  // in the program's table, and in that of the thread that left it
  uint64_t device_, inode_;
  trace::FileHeader header_, header_in_file_;
  ChunkPool pool_;
  uint64_t order_[ChunkPool::kSlots];  // of one drain: chunk of the file << 32 | slot
  char path_[4096];
};

// In a forked child: the parent's descriptor is of no use here.
void close_inherited_file() noexcept;

}  // namespace gpustall::interpose
