// All that the recorder knows about one thread, reached through one 8-byte initial-exec TLS
// pointer. The memory comes from raw mmap, is wiped in forked children (a zero tid says "attach
// again"), and is never freed, only reused by a later thread, so that hooks in TLS destructors stay
// safe. Only the owning thread writes it, under a HookGuard; the helper reads the marked fields.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "libinterpose/trace/records.h"

namespace gpustall::interpose {

// Where a thread writes records of one kind: the open chunk and the decoder's running values.
struct ChunkStream {
  trace::ChunkHeader* chunk;  // null: none open
  uint8_t *at, *end;
  trace::Running run;
  uint32_t sequence;  // of the next chunk
};

inline constexpr unsigned kWaitIds = 128;
inline constexpr size_t kPartBytes = 1024;
enum class ThreadPart : uint8_t { Cupti, Stacks, Count };

struct ThreadState {
  std::atomic<uint32_t> tid;    // 0: not attached (fresh, exited, or wiped by fork); read by helper
  uint32_t own_table;           // its table of descriptors, see own_descriptors.h
  uint32_t depth;               // > 0 while our own code runs on this thread
  bool inert;                   // the helper thread and threads that must never record
  bool unused;                  // its thread exited: may be given to another one
  std::atomic<bool> in_event;   // inside what its hook will record: no samples; read by helper
  std::atomic<bool> announced;  // its Thread record was written (by the helper or at its exit)
  int64_t start_ticks;
  uint64_t pthread;  // pthread_self(), for the interpreter's thread states before 3.11
  ChunkStream stream, device_stream;
  int64_t own_ticks;  // cost of our own code, for OwnCost
  uint64_t own_calls;
  uint32_t short_count[kWaitIds];  // waits below the record threshold since the last flush
  uint64_t short_ticks[kWaitIds];
  uint64_t short_total;
  const uint8_t* seen_at;  // the helper's: stream.at at its last look
  ThreadState* next;       // list of all states, never shortened
  // Storage of the other parts of the library: zero at first, wiped by fork, nothing to destroy.
  alignas(64) unsigned char parts[static_cast<size_t>(ThreadPart::Count)][kPartBytes];
};

// __thread, not thread_local: no initialiser, so no wrapper function in front of every access.
extern __thread ThreadState* tls_thread __attribute__((tls_model("initial-exec")));

// The caller's own struct in a thread's storage; all-zero bytes must be a valid T.
template <class T>
T& part_of(ThreadState& thread, ThreadPart part) noexcept {
  static_assert(sizeof(T) <= kPartBytes && alignof(T) <= 64);
  static_assert(__is_trivially_copyable(T));
  return *reinterpret_cast<T*>(thread.parts[static_cast<size_t>(part)]);
}

// Slow path of HookGuard: first hook of a thread, or first one after fork. Null: must not record.
ThreadState* attach_thread() noexcept;
// Every attached or reusable state, for the helper; follow `next`, skip those with tid 0.
ThreadState* first_thread() noexcept;

}  // namespace gpustall::interpose
