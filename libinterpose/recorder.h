// Writing records: each thread owns its chunks, so a record costs its encoding and one release
// store. Never blocks, never allocates; no room is counted. Everything here needs a HookGuard that
// is recording().
#pragma once
#include <atomic>
#include <cstdint>
#include <string_view>

#include "libinterpose/clock.h"
#include "libinterpose/hook_guard.h"
#include "libinterpose/trace/records.h"

namespace gpustall::interpose {

// The mapped header of this process's file; null before the first chunk and when there is none.
// Live fields are written with __atomic builtins.
trace::FileHeader* file_header() noexcept;
void set_header_flag(trace::HeaderFlag flag) noexcept;

void count_loss(trace::LossKind kind, uint64_t count = 1) noexcept;
void notice(HookGuard&, trace::NoticeKind kind, int64_t code, std::string_view text) noexcept;

// Seals the stream's chunk, for good; the next record would open a new one.
void end_stream(ChunkStream&) noexcept;
// Seals the stream's chunk and opens the next one; false (and a loss) when there is no room.
bool next_chunk(ChunkStream&, trace::StreamKind kind, uint32_t tid, int64_t base_time) noexcept;

template <class Record>
bool write_record(ChunkStream& s, trace::StreamKind kind, uint32_t tid, const Record& r) noexcept {
  int64_t base = 0;
  if constexpr (requires { r.start; })
    base = r.start;
  else if constexpr (requires { r.time; })
    base = r.time;
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (s.chunk != nullptr) {
      trace::Writer out(s.at, s.end);
      if (trace::encode(r, s.run, out)) {
        s.at = out.at();
        const auto* payload = reinterpret_cast<const uint8_t*>(s.chunk + 1);
        __atomic_store_n(&s.chunk->committed_bytes, static_cast<uint32_t>(s.at - payload),
                         __ATOMIC_RELEASE);
        return true;
      }
    }
    if (attempt != 0) break;
    if (!next_chunk(s, kind, tid, base)) return false;
  }
  count_loss(trace::LossKind::RecordTooLong);
  return false;
}

// To the calling thread's own stream: host events, and dictionary entries before their first use.
template <class Record>
bool emit(HookGuard& guard, const Record& record) noexcept {
  ThreadState& t = guard.thread();
  return write_record(t.stream, trace::StreamKind::Thread, t.tid, record);
}

// To the calling thread's device stream (times are device ns): for CUPTI's buffer-completed thread;
// any number of threads, each has its own.
template <class Record>
bool emit_device(HookGuard& guard, const Record& record) noexcept {
  ThreadState& t = guard.thread();
  return write_record(t.device_stream, trace::StreamKind::Device, t.tid, record);
}

// To the process's one shared stream (StreamKind::Dictionary), under a short spin lock: rare
// records that belong to no thread (Info, Clock, Module, Device, Notice).
class SharedStream {
 public:
  explicit SharedStream(HookGuard&) noexcept;  // locks
  ~SharedStream() noexcept;
  SharedStream(const SharedStream&) = delete;
  SharedStream& operator=(const SharedStream&) = delete;
  ChunkStream& stream() noexcept;
};
template <class Record>
bool emit_shared(HookGuard& guard, const Record& record) noexcept {
  SharedStream shared(guard);
  return write_record(shared.stream(), trace::StreamKind::Dictionary, 0, record);
}

}  // namespace gpustall::interpose
