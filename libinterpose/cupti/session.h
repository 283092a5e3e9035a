// The life of our CUPTI use in this process: attach once recording starts, stand aside while the
// program uses CUPTI itself, attach again, flush. Never cuptiFinalize, no unsubscribe at exit,
// nothing in forked children.
//
//   Off --start--> Active <--resume-- Yielded        Refused, Dead: for good
//                    |  \----yield----^
//                    +--> Dead (forked child, unless all was Off)
#pragma once
#include <atomic>
#include <cstdint>

#include "libinterpose/cupti/cupti_api.h"
#include "libinterpose/hook_guard.h"

namespace gpustall::interpose::cupti {

enum class Mode : uint8_t { Off, Active, Yielded, Refused, Dead };
extern std::atomic<Mode> g_mode;
inline bool is_active() noexcept {
  return g_mode.load(std::memory_order_relaxed) == Mode::Active;
}

// Entries of the libcupti in use; all null before the first use.
const CuptiApi& api() noexcept;
// Finds the program's libcupti if it is mapped by now; false when there is none.
bool ensure_api(bool load) noexcept;

// Counts the attachments; and the length of a call, in ticks, from which it gets a native stack.
uint32_t session_number() noexcept;
int64_t stack_threshold() noexcept;

// Attaches, or says in the trace why not. Idempotent; any thread.
void start_session(HookGuard&) noexcept;

// For the hooks on the program's own CUPTI calls (program_use.cpp). The lock is never held across a
// call of the program's: its buffer callbacks take locks of their own.
class SessionLock {
 public:
  SessionLock() noexcept;
  ~SessionLock() noexcept;
  SessionLock(const SessionLock&) = delete;
  SessionLock& operator=(const SessionLock&) = delete;
};
// Releases all that we hold in CUPTI; lock held, without a HookGuard (our last buffers need one).
void yield_session(const char* call) noexcept;
// Attaches again; lock held, on the helper thread, never inside a call of the program's: after its
// last flush a profiler may still change settings of CUPTI.
void resume_session(HookGuard&) noexcept;

// A context exists in this process: before one, cuptiActivityFlushAll may hang.
void note_context() noexcept;
bool context_seen() noexcept;

// In the child of fork: plain stores only.
void forget_session() noexcept;

}  // namespace gpustall::interpose::cupti
