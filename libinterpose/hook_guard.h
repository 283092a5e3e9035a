// HookGuard: the one guard of our own code inside the victim. It marks the thread as "inside
// gpustall" (a hook that is entered meanwhile passes through), keeps errno, and is the proof that
// functions that touch thread state ask for. Never hold one across a call of the original function:
// such a call may block, be cancelled (no destructor runs then), fork, or call other hooks that
// must see the thread as the program's.
#pragma once
#include <cerrno>

#include "libinterpose/state.h"
#include "libinterpose/thread_state.h"

namespace gpustall::interpose {

// Loss counts: a hook entered from inside our own code; an event after the final flush.
void count_reentry() noexcept;
void count_after_exit() noexcept;

class HookGuard {
 public:
  HookGuard() noexcept : errno_(errno) {
    if (is_recording())
      enter();
    else if (state() == State::Stopping) [[unlikely]]
      count_after_exit();
  }
  // For what belongs to the window but arrives late or holds the whole recording together (buffers
  // of device records, clocks): records whenever the recorder is On.
  struct AnyWindow {};
  explicit HookGuard(AnyWindow) noexcept : errno_(errno) {
    if (is_on()) enter();
  }
  // For threads of our own: held for the thread's whole life, so that its own calls pass through.
  struct OwnThread {};
  explicit HookGuard(OwnThread) noexcept;

  ~HookGuard() noexcept {
    if (thread_ != nullptr) {
      std::atomic_signal_fence(std::memory_order_seq_cst);
      thread_->depth = 0;
    }
    errno = errno_;
  }
  HookGuard(const HookGuard&) = delete;
  HookGuard& operator=(const HookGuard&) = delete;

  // False: Off, before the start, inside our own code, or on a thread that never records.
  bool recording() const noexcept { return thread_ != nullptr; }
  // Only while recording().
  ThreadState& thread() const noexcept { return *thread_; }

 private:
  void enter() noexcept {
    ThreadState* thread = tls_thread;
    if (thread == nullptr || thread->tid.load(std::memory_order_relaxed) == 0) [[unlikely]]
      thread = attach_thread();
    if (thread == nullptr) return;
    if (thread->depth != 0) [[unlikely]] {
      if (!thread->inert) count_reentry();
      return;
    }
    thread->depth = 1;
    std::atomic_signal_fence(std::memory_order_seq_cst);  // a signal handler's hook must see it
    thread_ = thread;
  }

  int errno_;
  ThreadState* thread_ = nullptr;
};

}  // namespace gpustall::interpose
