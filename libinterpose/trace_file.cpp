#include "libinterpose/trace_file.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "libinterpose/clock.h"
#include "libinterpose/fork.h"
#include "libinterpose/own_descriptors.h"
#include "libinterpose/run_directory.h"
#include "libinterpose/settings.h"
#include "libinterpose/state.h"
#include "libinterpose/sys.h"
#include "libinterpose/trace/records.h"

namespace gpustall::interpose {

using trace::kChunkBytes;
using trace::kHeaderBytes;

namespace {

// Where no helper works ahead (forked workers, often short-lived) the file doubles up to a step.
// The helper grows it by 4 MiB when less than 8 are left.
constexpr uint32_t kFirstChunks = 2, kInlineStep = 16, kAheadChunks = 128, kAheadStep = 64;
constexpr int64_t kClaimWaitNs = 5000000;
constexpr uint32_t kUncappedChunks = 1u << 20;  // 64 GiB

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

// Beyond the limit the kernel would raise SIGXFSZ in the program.
bool limit_allows(uint64_t bytes) noexcept {
  rlimit limit;
  return ::getrlimit(RLIMIT_FSIZE, &limit) != 0 || bytes <= limit.rlim_cur;
}

// Out of the way of programs that close or count low descriptors; never the standard ones, which a
// program without them does not expect to be there. Negative: there is no room, `fd` is closed.
int moved_up(int fd) noexcept {
  int high = -1;
  for (const int least : {200, 60, 20, 3}) {
    high = ::fcntl(fd, F_DUPFD_CLOEXEC, least);
    if (high >= 0) break;
  }
  const int error = errno;
  sys::close(fd);
  errno = error;
  return high;
}

}  // namespace

bool TraceFile::open() noexcept {
  uint32_t seen = 0;
  if (!state_.compare_exchange_strong(seen, kOpening, std::memory_order_acquire)) {
    // Another thread is at it: a few file system calls; we are never it (guards exclude reentry).
    for (; seen == kOpening; seen = state_.load(std::memory_order_acquire)) sched_yield();
    return seen == kOpen;
  }
  const bool ok = create();
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
  fd = moved_up(fd);
  if (fd < 0) return false;
  struct stat s;
  ::fstat(fd, &s);
  device_ = s.st_dev;
  inode_ = s.st_ino;
  fd_ = fd;
  g_inherited = {fd, device_, inode_};
  max_chunks_ = kUncappedChunks;
  if (const uint64_t cap = g_settings.max_bytes; cap != 0)
    max_chunks_ =
        cap < offset_of(4) ? 4 : static_cast<uint32_t>((cap - kHeaderBytes) / kChunkBytes);
  fill_header();
  if (grow(kFirstChunks) && write_at(&header_, sizeof header_, 0)) return true;
  error = full() == FullReason::Disk ? ENOSPC : full() == FullReason::Limit ? EFBIG : errno;
  ::unlink(path_);
  errno = error;
  return false;
}

void close_inherited_file() noexcept {
  struct stat s;
  if (g_inherited.fd >= 0 && ::fstat(g_inherited.fd, &s) == 0 && s.st_dev == g_inherited.device &&
      s.st_ino == g_inherited.inode)
    sys::close(g_inherited.fd);
  g_inherited.fd = -1;
}

void TraceFile::fill_header() noexcept {
  trace::FileHeader* h = &header_;
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
  const int slot = pool_.take();
  if (slot < 0) return nullptr;
  for (int64_t give_up = 0;;) {
    uint64_t room = room_.load(std::memory_order_acquire);
    const auto claimed = static_cast<uint32_t>(room), allocated = static_cast<uint32_t>(room >> 32);
    if (claimed < allocated) {
      if (!room_.compare_exchange_weak(room, room + 1, std::memory_order_acq_rel)) continue;
      __atomic_fetch_add(&header_.chunks_claimed, 1, __ATOMIC_RELEASE);
      pool_[static_cast<unsigned>(slot)].file_chunk = claimed;
      pool_[static_cast<unsigned>(slot)].written = 0;
      return pool_.chunk(static_cast<unsigned>(slot));
    }
    if (full() != FullReason::None || state_.load(std::memory_order_relaxed) != kOpen) break;
    if (!grow(allocated < kInlineStep ? allocated : kInlineStep)) {
      // Another thread grows the file, or it is full now. A disk that takes longer costs records,
      // not the program's time.
      const int64_t now = read_clock_ns(CLOCK_MONOTONIC);
      if (give_up == 0) give_up = now + kClaimWaitNs;
      if (now > give_up) break;
      sched_yield();
    }
  }
  pool_.release(static_cast<unsigned>(slot));
  return nullptr;
}

void TraceFile::seal(const trace::ChunkHeader* chunk) noexcept {
  const unsigned slot = pool_.slot_of(chunk);
  if (slot < ChunkPool::kSlots) pool_[slot].sealed.store(true, std::memory_order_release);
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
    while (chunks != 0 && !extend_file(offset_of(allocated + chunks)))
      chunks /= 2;  // near the end of the disk smaller steps still fit
    if (chunks == 0)
      reason = limit_allows(offset_of(allocated + 1)) ? FullReason::Disk : FullReason::Limit;
  }
  if (reason == FullReason::None)
    room_.fetch_add(uint64_t{chunks} << 32, std::memory_order_release);
  else
    full_.store(reason, std::memory_order_relaxed);
  growing_.store(0, std::memory_order_release);
  return reason == FullReason::None;
}

// The file gets whole chunks, with holes where nothing was written yet; the disk must have room for
// all of them.
bool TraceFile::extend_file(uint64_t to) noexcept {
  if (!limit_allows(to)) return false;
  struct stat s;
  if (::fstat(descriptor(), &s) != 0) return false;
  // The drain would no longer see it.
  if (static_cast<uint64_t>(s.st_size) < end_.load(std::memory_order_relaxed))
    shrunk_.store(true, std::memory_order_relaxed);
  const uint64_t there = static_cast<uint64_t>(s.st_blocks) * 512;
  if (!disk_has_room(descriptor(), to > there ? to - there : 0)) return false;
  if (::ftruncate(descriptor(), static_cast<off_t>(to)) != 0) return false;
  end_.store(to, std::memory_order_relaxed);
  return true;
}

int& TraceFile::descriptor() noexcept {
  return own_table() != 0 ? own_fd_ : fd_;
}

bool TraceFile::leave_descriptors() noexcept {
  own_fd_ = fd_;
  if (!interpose::leave_descriptors(own_fd_)) return false;
  // Where the program had closed ours and took the number, its file must not stay open here.
  struct stat s;
  if (::fstat(own_fd_, &s) == 0 && (s.st_dev != device_ || s.st_ino != inode_)) sys::close(own_fd_);
  return true;
}

// A program may close every descriptor (daemons do) and open its own files under our number.
bool TraceFile::descriptor_is_ours() noexcept {
  struct stat s;
  if (::fstat(descriptor(), &s) == 0 && s.st_dev == device_ && s.st_ino == inode_) return true;
  const int fd = sys::open(path_, O_RDWR | O_NOFOLLOW);
  if (fd < 0) return false;
  if (::fstat(fd, &s) != 0 || s.st_dev != device_ || s.st_ino != inode_) {
    sys::close(fd);
    return false;
  }
  const int high = moved_up(fd);
  if (high < 0) return false;
  descriptor() = high;
  if (own_table() == 0) g_inherited.fd = high;
  return true;
}

bool TraceFile::write_at(const void* from, size_t bytes, uint64_t at) noexcept {
  // In a table of our own nobody closes it between the look at the start of a drain and this.
  if ((own_table() == 0 && !descriptor_is_ours()) || !limit_allows(at + bytes)) return false;
  const auto* bytes_at = static_cast<const uint8_t*>(from);
  while (bytes != 0) {
    const long wrote = sys::pwrite(descriptor(), bytes_at, bytes, static_cast<int64_t>(at));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      const bool disk = errno == ENOSPC || errno == EDQUOT;
      FullReason none = FullReason::None;
      full_.compare_exchange_strong(none, disk ? FullReason::Disk : FullReason::Io);
      return false;
    }
    bytes_at += wrote;
    bytes -= static_cast<size_t>(wrote);
    at += static_cast<uint64_t>(wrote);
  }
  return true;
}

void TraceFile::drain() noexcept {
  if (!is_open() || writing_.exchange(1, std::memory_order_acquire) != 0) return;
  drain_locked();
  writing_.store(0, std::memory_order_release);
}

// In the order of the file: a stream's chunk is there as a whole before the next one is seen.
// Whoever has the next one taken here has committed all of the one before.
void TraceFile::drain_locked() noexcept {
  if (!descriptor_is_ours()) return;
  restore_if_cut();
  unsigned count = 0;
  pool_.each_taken([&](unsigned slot) {
    const trace::ChunkHeader* chunk = pool_.chunk(slot);
    if (__atomic_load_n(&chunk->magic, __ATOMIC_ACQUIRE) == trace::kChunkMagic)
      order_[count++] = uint64_t{pool_[slot].file_chunk} << 32 | slot;
  });
  std::sort(order_, order_ + count);
  // What the disk does not take now it may take later; the chunks behind would be no better off.
  for (unsigned i = 0; i < count && write_chunk(static_cast<uint32_t>(order_[i])); ++i) {
  }
  write_header();
}

// The payload first: a reader of the live file, or of what a kill left, sees no more than is there.
bool TraceFile::write_chunk(unsigned slot) noexcept {
  ChunkPool::Slot& s = pool_[slot];
  const bool sealed = s.sealed.load(std::memory_order_acquire);
  const trace::ChunkHeader* chunk = pool_.chunk(slot);
  const uint32_t committed = __atomic_load_n(&chunk->committed_bytes, __ATOMIC_ACQUIRE);
  if (committed != s.written) {
    const auto* payload = reinterpret_cast<const uint8_t*>(chunk + 1);
    const uint64_t at = offset_of(s.file_chunk);
    trace::ChunkHeader header = *chunk;
    header.committed_bytes = committed;
    if (!write_at(payload + s.written, committed - s.written, at + sizeof header + s.written) ||
        !write_at(&header, sizeof header, at))
      return false;
    s.written = committed;
  }
  if (sealed) pool_.release(slot);
  return true;
}

void TraceFile::write_header() noexcept {
  const trace::FileHeader now = header_;
  if (std::memcmp(&now, &header_in_file_, sizeof now) == 0) return;
  if (write_at(&now, sizeof now, 0)) header_in_file_ = now;
}

// Somebody truncated the file: what is still in memory is written again, whole.
void TraceFile::restore_if_cut() noexcept {
  struct stat s;
  const uint64_t end = end_.load(std::memory_order_relaxed);
  if (::fstat(descriptor(), &s) != 0) return;
  const bool shrunk = shrunk_.exchange(false, std::memory_order_relaxed);
  if (!shrunk && static_cast<uint64_t>(s.st_size) >= end) return;
  cut_.store(true, std::memory_order_relaxed);
  header_in_file_ = {};
  pool_.each_taken([&](unsigned slot) { pool_[slot].written = 0; });
  if (static_cast<uint64_t>(s.st_size) < end &&
      ::ftruncate(descriptor(), static_cast<off_t>(end)) != 0)
    full_.store(FullReason::Io, std::memory_order_relaxed);
}

void TraceFile::work_ahead() noexcept {
  if (!is_open()) return;
  const uint64_t room = room_.load(std::memory_order_acquire);
  const auto claimed = static_cast<uint32_t>(room), allocated = static_cast<uint32_t>(room >> 32);
  if (allocated - claimed < kAheadChunks && full() == FullReason::None && allocated < max_chunks_)
    grow(kAheadStep);
  pool_.populate_ahead();
}

// Each record that the disk did not take is a loss like one that found no chunk.
void TraceFile::count_unwritten() noexcept {
  uint64_t records = 0;
  pool_.each_taken([&](unsigned slot) {
    const trace::ChunkHeader* chunk = pool_.chunk(slot);
    if (__atomic_load_n(&chunk->magic, __ATOMIC_ACQUIRE) != trace::kChunkMagic) return;
    const auto* payload = reinterpret_cast<const uint8_t*>(chunk + 1);
    trace::Reader in(payload + pool_[slot].written,
                     payload + __atomic_load_n(&chunk->committed_bytes, __ATOMIC_ACQUIRE));
    uint8_t tag = 0;
    std::string_view skipped;
    while (trace::next_record(in, tag, skipped)) ++records;
  });
  __atomic_fetch_add(&header_.losses[static_cast<size_t>(trace::LossKind::NoChunk)], records,
                     __ATOMIC_RELAXED);
}

void TraceFile::finish() noexcept {
  if (!is_open()) return;
  // Whoever grows now would undo the cut; 1 stays in both flags, so nobody grows or writes later.
  for (int i = 0; growing_.exchange(1, std::memory_order_acquire) != 0 && i < 1000; ++i)
    sched_yield();
  for (int i = 0; writing_.exchange(1, std::memory_order_acquire) != 0; ++i) {
    if (i == 200) return;  // a disk that hangs; the file ends as after a kill
    sys::sleep_ns(1000000);
  }
  if (full() == FullReason::None) full_.store(FullReason::Ended, std::memory_order_relaxed);
  uint64_t room = room_.load(std::memory_order_relaxed);
  while (!room_.compare_exchange_weak(room, room & 0xffffffff, std::memory_order_acq_rel)) {
  }
  header_.end_ticks = now_ticks();
  __atomic_fetch_or(&header_.flags, trace::kCleanEnd, __ATOMIC_RELEASE);
  drain_locked();
  count_unwritten();
  write_header();
  if (descriptor_is_ours() &&
      ::ftruncate(descriptor(), static_cast<off_t>(offset_of(static_cast<uint32_t>(room)))) != 0)
    return;  // the file keeps its spare zeros
}

}  // namespace gpustall::interpose
