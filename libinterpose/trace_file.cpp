#include "libinterpose/trace_file.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>

#include <cerrno>
#include <cstring>

#include "libinterpose/clock.h"
#include "libinterpose/fork.h"
#include "libinterpose/run_directory.h"
#include "libinterpose/settings.h"
#include "libinterpose/state.h"
#include "libinterpose/sys.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace gpustall::interpose {

using trace::kChunkBytes;
using trace::kHeaderBytes;

namespace {

// Where no helper works ahead (forked workers, often short-lived) the file doubles up to a step.
// The helper grows it by 4 MiB when less than 8 are left: larger steps would hold up a claim for
// longer.
constexpr uint32_t kFirstChunks = 2, kInlineStep = 16, kAheadChunks = 128, kAheadStep = 64;
constexpr uint32_t kPopulateAhead = 32;
constexpr int64_t kClaimWaitNs = 5000000;
constexpr uint64_t kUncappedBytes = uint64_t{64} << 30;

// The descriptor as a forked child inherits it: outside the memory that fork wipes.
struct {
  int fd = -1;
  uint64_t device, inode;
} g_inherited;

// What must stay free on the file system: a recording never fills a disk.
bool disk_has_room(int fd, uint64_t wanted) noexcept {
  struct statfs s;
  if (::fstatfs(fd, &s) != 0 || s.f_blocks == 0) return true;  // a file system that does not tell
  const uint64_t block = static_cast<uint64_t>(s.f_bsize);
  uint64_t reserve = s.f_blocks * block / 20;
  if (reserve > (uint64_t{512} << 20)) reserve = uint64_t{512} << 20;
  return s.f_bavail * block >= wanted + reserve;
}

}  // namespace

bool TraceFile::open() noexcept {
  uint32_t seen = 0;
  if (!state_.compare_exchange_strong(seen, kOpening, std::memory_order_acquire)) {
    // Another thread is at it: a few file system calls; we are never it (guards exclude reentry).
    for (; seen == kOpening; seen = state_.load(std::memory_order_acquire)) sched_yield();
    return seen == kOpen;
  }
  const bool ok = create() && map();
  if (ok) write_header();
  state_.store(ok ? kOpen : kFailed, std::memory_order_release);
  return ok;
}

bool TraceFile::create() noexcept {
  int error = make_run_directory();
  int fd = -1;
  for (unsigned n = 0; error == 0 && fd < 0; ++n) {
    file_path(path_, sizeof path_, sys::pid(), epoch(), n);
    fd = sys::open(path_, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    // The name can be taken by an earlier image of this pid or by another pid namespace.
    if (fd < 0 && (errno != EEXIST || n > 1000)) error = errno;
  }
  if (fd < 0) {
    errno = error;
    return false;
  }
  // Out of the way of programs that close or count low descriptors.
  const int high = ::fcntl(fd, F_DUPFD_CLOEXEC, 200);
  if (high >= 0) {
    sys::close(fd);
    fd = high;
  }
  struct stat s;
  ::fstat(fd, &s);
  device_ = s.st_dev;
  inode_ = s.st_ino;
  fd_ = fd;
  g_inherited = {fd, device_, inode_};
  return true;
}

void close_inherited_file() noexcept {
  struct stat s;
  if (g_inherited.fd >= 0 && ::fstat(g_inherited.fd, &s) == 0 && s.st_dev == g_inherited.device &&
      s.st_ino == g_inherited.inode)
    sys::close(g_inherited.fd);
  g_inherited.fd = -1;
}

bool TraceFile::map() noexcept {
  uint64_t bytes = g_settings.max_bytes != 0 ? g_settings.max_bytes : kUncappedBytes;
  if (bytes < kHeaderBytes + 4 * kChunkBytes) bytes = kHeaderBytes + 4 * kChunkBytes;
  // The part beyond the end of the file is only address space; under a limit take less of it.
  void* at = MAP_FAILED;
  for (; at == MAP_FAILED && bytes >= kHeaderBytes + 4 * kChunkBytes; bytes /= 2) {
    at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd_, 0);
    if (at != MAP_FAILED) break;
  }
  if (at == MAP_FAILED) return false;
  ::madvise(at, bytes, MADV_DONTFORK);
  ::madvise(at, bytes, MADV_DONTDUMP);
  map_ = static_cast<uint8_t*>(at);
  map_bytes_ = bytes;
  max_chunks_ = static_cast<uint32_t>((bytes - kHeaderBytes) / kChunkBytes);
  if (grow(kFirstChunks)) return true;
  errno = full() == FullReason::Disk ? ENOSPC : errno;
  ::unlink(path_);
  return false;
}

void TraceFile::write_header() noexcept {
  auto* h = reinterpret_cast<trace::FileHeader*>(map_);
  h->format_version = trace::kFormatVersion;
  h->min_reader_version = trace::kMinReaderVersion;
  h->header_bytes = kHeaderBytes;
  h->chunk_bytes = kChunkBytes;
  h->flags = epoch() != 0 ? trace::kForkEpoch : 0u;
  h->pid = sys::pid();
  h->parent_pid = static_cast<uint32_t>(::getppid());
  h->epoch = epoch();
  h->rank = g_settings.rank;
  h->role = static_cast<uint8_t>(trace::Role::Other);
  h->clock_kind =
      static_cast<uint8_t>(g_clock_is_tsc ? trace::ClockKind::Tsc : trace::ClockKind::MonotonicNs);
  h->run_id[0] = g_settings.run_id[0];
  h->run_id[1] = g_settings.run_id[1];
  const ClockPair now = read_clock_pair();
  h->start_ticks = now.ticks;
  h->start_monotonic_ns = now.monotonic_ns;
  h->start_realtime_ns = now.realtime_ns;
  h->max_bytes = g_settings.max_bytes;
  utsname name;
  if (::uname(&name) == 0)
    std::memcpy(h->host, name.nodename, strnlen(name.nodename, sizeof h->host - 1));
  std::memcpy(h->magic, trace::kMagic, sizeof h->magic);
}

trace::ChunkHeader* TraceFile::claim() noexcept {
  for (int64_t give_up = 0;;) {
    uint64_t room = room_.load(std::memory_order_acquire);
    const auto claimed = static_cast<uint32_t>(room), allocated = static_cast<uint32_t>(room >> 32);
    if (claimed < allocated) {
      if (!room_.compare_exchange_weak(room, room + 1, std::memory_order_acq_rel)) continue;
      auto* h = reinterpret_cast<trace::FileHeader*>(map_);
      __atomic_fetch_add(&h->chunks_claimed, 1, __ATOMIC_RELEASE);
      if (claimed >= populated_.load(std::memory_order_acquire) && !populate(claimed, claimed + 1))
        return nullptr;
      return reinterpret_cast<trace::ChunkHeader*>(map_ + offset_of(claimed));
    }
    if (full() != FullReason::None || state_.load(std::memory_order_relaxed) != kOpen)
      return nullptr;
    if (!grow(allocated < kInlineStep ? allocated : kInlineStep)) {
      // Another thread grows the file, or it is full now. A disk that takes longer costs records,
      // not the program's time.
      const int64_t now = read_clock_ns(CLOCK_MONOTONIC);
      if (give_up == 0) give_up = now + kClaimWaitNs;
      if (now > give_up) return nullptr;
      sched_yield();
    }
  }
}

// One thread at a time; false when it is not us or when there is no room.
bool TraceFile::grow(uint32_t chunks) noexcept {
  if (growing_.exchange(1, std::memory_order_acquire) != 0) return false;
  uint64_t room = room_.load(std::memory_order_relaxed);
  const auto allocated = static_cast<uint32_t>(room >> 32);
  FullReason reason = full();
  if (reason == FullReason::None && allocated >= max_chunks_) reason = FullReason::SizeCap;
  if (chunks > max_chunks_ - allocated) chunks = max_chunks_ - allocated;
  if (reason == FullReason::None && !descriptor_is_ours()) reason = FullReason::Io;
  if (reason == FullReason::None) {
    const uint64_t from = allocated == 0 ? 0 : offset_of(allocated);
    while (chunks != 0 && !extend_file(from, offset_of(allocated + chunks)))
      chunks /= 2;  // near the end of the disk smaller steps still fit
    if (chunks == 0) reason = FullReason::Disk;
  }
  if (reason == FullReason::None)
    room_.fetch_add(uint64_t{chunks} << 32, std::memory_order_release);
  else
    full_.store(reason, std::memory_order_relaxed);
  growing_.store(0, std::memory_order_release);
  return reason == FullReason::None;
}

// Blocks on disk before any store through the mapping.
bool TraceFile::extend_file(uint64_t from, uint64_t to) noexcept {
  rlimit limit;  // growing beyond it would raise SIGXFSZ in the program
  if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && to > limit.rlim_cur) return false;
  if (!disk_has_room(fd_, to - from)) return false;
  const auto offset = static_cast<off_t>(from), length = static_cast<off_t>(to - from);
  if (::fallocate(fd_, 0, offset, length) == 0) return true;
  if (errno != EOPNOTSUPP && errno != ENOSYS) return false;
  // No fallocate here (NFS 3, some FUSE): real zeros.
  static const char kZeros[16384] = {};
  for (uint64_t at = from; at < to;) {
    const uint64_t n = to - at < sizeof kZeros ? to - at : sizeof kZeros;
    const long wrote = sys::pwrite(fd_, kZeros, n, static_cast<int64_t>(at));
    if (wrote <= 0) return false;
    at += static_cast<uint64_t>(wrote);
  }
  return true;
}

// A program may close every descriptor (daemons do) and open its own files under our number.
bool TraceFile::descriptor_is_ours() noexcept {
  struct stat s;
  if (::fstat(fd_, &s) == 0 && s.st_dev == device_ && s.st_ino == inode_) return true;
  const int fd = sys::open(path_, O_RDWR | O_NOFOLLOW);
  if (fd < 0) return false;
  if (::fstat(fd, &s) != 0 || s.st_dev != device_ || s.st_ino != inode_) {
    sys::close(fd);
    return false;
  }
  const int high = ::fcntl(fd, F_DUPFD_CLOEXEC, 200);
  if (high >= 0) sys::close(fd);
  g_inherited.fd = fd_ = high >= 0 ? high : fd;
  return true;
}

// Faults the pages in by a call that fails where a store would raise SIGBUS.
bool TraceFile::populate(uint32_t from, uint32_t to) noexcept {
  const uint64_t begin = offset_of(from), length = offset_of(to) - begin;
  if (::madvise(map_ + begin, length, MADV_POPULATE_WRITE) == 0) return true;
  // EINVAL before Linux 5.14, EINTR, EAGAIN: the blocks are there, the stores will fault them in.
  if (errno != EFAULT) return true;
  full_.store(FullReason::Io, std::memory_order_relaxed);
  return false;
}

void TraceFile::retire(const trace::ChunkHeader* chunk, uint32_t used) noexcept {
  const auto begin = static_cast<uint64_t>(reinterpret_cast<const uint8_t*>(chunk) - map_);
  const uint64_t unused = (begin + used + 4095) & ~uint64_t{4095};
  if (unused >= begin + kChunkBytes) return;
  const uint32_t i = retired_count_.fetch_add(1, std::memory_order_relaxed) % kRetired;
  retired_[i].store(unused, std::memory_order_release);
}

void TraceFile::punch_retired(unsigned limit) noexcept {
  if (!is_open() || retired_count_.load(std::memory_order_relaxed) == 0 || !descriptor_is_ours())
    return;
  for (std::atomic<uint64_t>& slot : retired_) {
    const uint64_t from = slot.exchange(0, std::memory_order_acquire);
    if (from == 0) continue;
    const uint64_t chunk = (from - kHeaderBytes) / kChunkBytes;
    const uint64_t end = offset_of(static_cast<uint32_t>(chunk) + 1);
    // Not every file system can; then the pages stay.
    ::fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(from),
                static_cast<off_t>(end - from));
    if (--limit == 0) return;
  }
}

void TraceFile::work_ahead() noexcept {
  if (!is_open()) return;
  uint64_t room = room_.load(std::memory_order_acquire);
  auto claimed = static_cast<uint32_t>(room), allocated = static_cast<uint32_t>(room >> 32);
  if (allocated - claimed < kAheadChunks && full() == FullReason::None && allocated < max_chunks_)
    grow(kAheadStep);
  room = room_.load(std::memory_order_acquire);
  claimed = static_cast<uint32_t>(room);
  allocated = static_cast<uint32_t>(room >> 32);
  const uint32_t wanted =
      claimed + kPopulateAhead < allocated ? claimed + kPopulateAhead : allocated;
  uint32_t done = populated_.load(std::memory_order_relaxed);
  if (done < claimed) done = claimed;
  if (done < wanted && populate(done, wanted)) populated_.store(wanted, std::memory_order_release);
}

void TraceFile::finish() noexcept {
  auto* h = header();
  if (h == nullptr) return;
  // Whoever grows now would undo the cut; 1 stays in the flag, so nobody grows afterwards.
  for (int i = 0; growing_.exchange(1, std::memory_order_acquire) != 0 && i < 1000; ++i)
    sched_yield();
  if (full() == FullReason::None) full_.store(FullReason::Ended, std::memory_order_relaxed);
  uint64_t room = room_.load(std::memory_order_relaxed);
  while (!room_.compare_exchange_weak(room, room & 0xffffffff, std::memory_order_acq_rel)) {
  }
  h->end_ticks = now_ticks();
  __atomic_fetch_or(&h->flags, trace::kCleanEnd, __ATOMIC_RELEASE);
  if (descriptor_is_ours() &&
      ::ftruncate(fd_, static_cast<off_t>(offset_of(static_cast<uint32_t>(room)))) != 0)
    return;  // the file keeps its spare zeros
}

}  // namespace gpustall::interpose
