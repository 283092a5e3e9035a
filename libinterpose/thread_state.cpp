#include "libinterpose/thread_state.h"

#include <pthread.h>

#include "libinterpose/creators.h"
#include "libinterpose/fork.h"
#include "libinterpose/process.h"
#include "libinterpose/recorder.h"
#include "libinterpose/start.h"
#include "libinterpose/sys.h"
#include "libinterpose/thread_record.h"
#include "libinterpose/waits.h"

namespace gpustall::interpose {

__thread ThreadState* tls_thread = nullptr;

namespace {

constexpr unsigned kSlabStates = 16;
constexpr pthread_key_t kInlineKeys = 32;
pthread_key_t g_key;
bool g_has_key = false;

struct CreatorSlot {
  std::atomic<uint64_t> pthread, packed;
};
constexpr unsigned kCreators = 1024;
CreatorSlot g_creators[kCreators];

// Stands for a thread that attaches or ends: a signal handler's hook finds it nested and inert.
ThreadState* between() noexcept {
  static ThreadState state;
  state.tid.store(UINT32_MAX, std::memory_order_relaxed);
  state.depth = 1;
  state.inert = true;
  return &state;
}

CreatorSlot& creator_slot(uint64_t pthread) noexcept {
  return g_creators[(pthread >> 12) * 0x9e3779b97f4a7c15u >> 54];
}

// The thread ends: what it held back is written, its state may serve another thread. Hooks of later
// destructors attach it anew and come here again.
void on_thread_exit(void*) noexcept {
  ThreadState* t = tls_thread;
  {
    HookGuard guard{HookGuard::AnyWindow{}};
    if (!guard.recording()) return;
    flush_short_waits(guard);
    write_thread_record(guard);
    end_stream(t->stream);
    end_stream(t->device_stream);
  }
  tls_thread = between();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  g_process->threads_lock.lock();
  t->tid.store(0, std::memory_order_relaxed);
  t->unused = true;
  g_process->threads_lock.unlock();
  tls_thread = nullptr;
}

void link(ThreadState* t) noexcept {
  t->next = g_process->threads.load(std::memory_order_relaxed);
  g_process->threads.store(t, std::memory_order_release);
}

// Under threads_lock. Unused states first; else a slab, of which the others become unused ones.
ThreadState* take_state() noexcept {
  for (ThreadState* t = g_process->threads.load(std::memory_order_relaxed); t; t = t->next) {
    if (!t->unused) continue;
    ThreadState* next = t->next;
    __builtin_memset(static_cast<void*>(t), 0, sizeof *t);
    t->next = next;
    return t;
  }
  auto* slab = static_cast<ThreadState*>(map_wiped(kSlabStates * sizeof(ThreadState)));
  if (slab == nullptr) return nullptr;
  for (unsigned i = 1; i < kSlabStates; ++i) {
    slab[i].unused = true;
    link(&slab[i]);
  }
  link(&slab[0]);
  return &slab[0];
}

}  // namespace

ThreadState* first_thread() noexcept {
  return g_process == nullptr ? nullptr : g_process->threads.load(std::memory_order_acquire);
}

ThreadState* attach_thread() noexcept {
  if (g_process == nullptr) return nullptr;
  enter_child_if_forked();
  // Wiped by fork: the pointer stays, the contents are zeros, and the list is empty.
  ThreadState* t = tls_thread;
  tls_thread = between();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  g_process->threads_lock.lock();
  if (t == nullptr)
    t = take_state();
  else
    link(t);
  if (t != nullptr) {
    t->pthread = ::pthread_self();
    t->start_ticks = now_ticks();
    t->tid.store(sys::tid(), std::memory_order_release);
  }
  g_process->threads_lock.unlock();
  std::atomic_signal_fence(std::memory_order_seq_cst);
  tls_thread = t;
  if (t != nullptr && g_has_key) ::pthread_setspecific(g_key, t);
  if (t != nullptr) announce_process(t);
  return t;
}

void make_thread_key() noexcept {
  if (::pthread_key_create(&g_key, on_thread_exit) != 0) return;
  g_has_key = g_key < kInlineKeys;
  if (!g_has_key) ::pthread_key_delete(g_key);  // states of exited threads are then not reused
}

void note_creator(uint64_t pthread, Creator creator) noexcept {
  CreatorSlot& slot = creator_slot(pthread);
  slot.pthread.store(0, std::memory_order_relaxed);
  slot.packed.store(uint64_t{creator.tid} << 32 | creator.stack, std::memory_order_release);
  slot.pthread.store(pthread, std::memory_order_release);
}

Creator find_creator(uint64_t pthread) noexcept {
  const CreatorSlot& slot = creator_slot(pthread);
  if (slot.pthread.load(std::memory_order_acquire) != pthread) return {};
  const uint64_t packed = slot.packed.load(std::memory_order_acquire);
  return {static_cast<uint32_t>(packed >> 32), static_cast<uint32_t>(packed)};
}

}  // namespace gpustall::interpose
