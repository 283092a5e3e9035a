#include "libinterpose/recorder.h"

#include <cstring>

#include "libinterpose/helper.h"
#include "libinterpose/process.h"
#include "libinterpose/sys.h"

namespace gpustall::interpose {

Process* g_process = nullptr;

using trace::LossKind;

namespace {

// Kept free at the end of the shared stream's chunk, for the notice that room has ended.
constexpr size_t kNoticeRoom = 256;

uint64_t* header_losses() noexcept {
  trace::FileHeader* h = file_header();
  return h == nullptr ? nullptr : h->losses;
}

// Room has ended: say so once, in the reserve of the shared chunk. May be called with the shared
// lock held by this very thread, then the next caller does it.
void note_full() noexcept {
  static std::atomic<uint32_t> noted_pid{0};
  const FullReason reason = g_process->file.full();
  if (reason == FullReason::None || reason == FullReason::Ended) return;
  const uint32_t pid = g_process->pid.load(std::memory_order_relaxed);
  if (noted_pid.load(std::memory_order_relaxed) == pid) return;
  if (!g_process->shared_lock.try_lock()) return;
  ChunkStream& s = g_process->shared;
  const bool cap = reason == FullReason::SizeCap;
  if (s.chunk != nullptr && noted_pid.exchange(pid) != pid) {
    const std::string_view text =
        cap ? "size cap reached: what came first is kept"
        : reason == FullReason::Limit
            ? "no room below the limit of file sizes (ulimit -f): what came first is kept"
            : "no room on the file system: what came first is kept";
    const trace::Notice record{
        now_ticks(),
        static_cast<uint64_t>(cap ? trace::NoticeKind::CapReached : trace::NoticeKind::DiskFull), 0,
        text};
    s.end += kNoticeRoom;
    write_record(s, trace::StreamKind::Dictionary, 0, record);
    s.end -= kNoticeRoom;
  }
  g_process->shared_lock.unlock();
  if (cap) set_header_flag(trace::kCapReached);
}

}  // namespace

trace::FileHeader* file_header() noexcept {
  return g_process == nullptr ? nullptr : g_process->file.header();
}

void set_header_flag(trace::HeaderFlag flag) noexcept {
  if (trace::FileHeader* h = file_header(); h != nullptr)
    __atomic_fetch_or(&h->flags, flag, __ATOMIC_RELAXED);
}

void count_loss(LossKind kind, uint64_t count) noexcept {
  if (uint64_t* losses = header_losses(); losses != nullptr)
    __atomic_fetch_add(&losses[static_cast<size_t>(kind)], count, __ATOMIC_RELAXED);
  else if (g_process != nullptr)
    g_process->pending_losses[static_cast<size_t>(kind)].fetch_add(count,
                                                                   std::memory_order_relaxed);
}

void count_reentry() noexcept {
  count_loss(LossKind::HookReentered);
}
void count_after_exit() noexcept {
  count_loss(LossKind::AfterExit);
}

void end_stream(ChunkStream& s) noexcept {
  if (s.chunk == nullptr) return;
  g_process->file.seal(s.chunk);
  s.chunk = nullptr;
  // Where no helper does it; the helper itself may be at a job for long.
  const uint32_t helper = helper_tid();
  if (helper == 0 || helper == sys::tid()) g_process->file.drain();
}

bool next_chunk(ChunkStream& s, trace::StreamKind kind, uint32_t tid, int64_t base_time) noexcept {
  end_stream(s);
  trace::ChunkHeader* h = g_process->file.open() ? g_process->file.claim() : nullptr;
  if (h == nullptr) {
    count_loss(LossKind::NoChunk);
    if (g_process->file.is_open()) note_full();
    return false;
  }
  h->tid = tid;
  h->stream_kind = static_cast<uint16_t>(kind);
  h->sequence = s.sequence++;
  h->base_time = base_time;
  s.run = {base_time, 0};
  s.at = reinterpret_cast<uint8_t*>(h + 1);
  s.end = reinterpret_cast<uint8_t*>(h) + trace::kChunkBytes;
  if (kind == trace::StreamKind::Dictionary) s.end -= kNoticeRoom;
  s.chunk = h;
  __atomic_store_n(&h->magic, trace::kChunkMagic, __ATOMIC_RELEASE);
  return true;
}

void notice(HookGuard& guard, trace::NoticeKind kind, int64_t code,
            std::string_view text) noexcept {
  emit_shared(guard, trace::Notice{now_ticks(), static_cast<uint64_t>(kind), code, text});
}

SharedStream::SharedStream(HookGuard&) noexcept {
  g_process->shared_lock.lock();
}
SharedStream::~SharedStream() noexcept {
  g_process->shared_lock.unlock();
}
ChunkStream& SharedStream::stream() noexcept {
  return g_process->shared;
}

}  // namespace gpustall::interpose
