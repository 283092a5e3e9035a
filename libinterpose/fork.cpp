#include "libinterpose/fork.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include "libinterpose/clock.h"
#include "libinterpose/helper_thread.h"
#include "libinterpose/process.h"
#include "libinterpose/run_directory.h"
#include "libinterpose/seams.h"
#include "libinterpose/state.h"
#include "libinterpose/sys.h"
#include "libinterpose/window.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

namespace gpustall::interpose {

namespace {

// Mappings that this kernel (before 4.14) does not wipe: the child handler drops their pages.
struct Unwiped {
  void* at;
  size_t bytes;
} g_unwiped[16];
std::atomic<unsigned> g_unwiped_count{0};

constexpr int64_t kAskNs = 50000000;

SharedFlag g_no_parent{};
bool g_forked = false;
SharedFlag* g_own_flag = nullptr;  // read by our children as g_parent_flag
uint32_t g_epoch = 0;

std::atomic<uint32_t> g_loader_users{0};  // bit 31: a fork is under way
constexpr uint32_t kForking = 1u << 31;

// Until we record, our children wait for whom we wait for.
SharedFlag* map_flag() noexcept {
  void* at = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  auto* flag = static_cast<SharedFlag*>(at);
  flag->recording.store(g_parent_flag->recording.load(std::memory_order_relaxed));
  return flag;
}

void before_fork() noexcept {
  if (g_own_flag == nullptr) g_own_flag = map_flag();
  if (state() == State::Uninitialized) return;
  if (is_on()) tell_children();
  g_loader_users.fetch_or(kForking, std::memory_order_acquire);
  // Bounded: a user may itself wait for the loader's lock, held by the thread that forks.
  for (int i = 0; i < 200 && g_loader_users.load(std::memory_order_acquire) != kForking; ++i)
    sys::sleep_ns(100000);
}

void after_fork_in_parent() noexcept {
  g_loader_users.fetch_and(~kForking);
}

void after_fork_in_child() noexcept {
  g_loader_users.store(0, std::memory_order_relaxed);
  for (unsigned i = 0; i < g_unwiped_count.load(std::memory_order_relaxed); ++i)
    ::madvise(g_unwiped[i].at, g_unwiped[i].bytes, MADV_DONTNEED);
  if (g_own_flag != nullptr) g_parent_flag = g_own_flag;
  g_own_flag = nullptr;
  g_forked = true;
  close_inherited_file();
  const State now = state();
  // No recorder yet: the child is a process of its own, not an epoch of its parent.
  if (now == State::Uninitialized && g_process != nullptr) g_process->pid.store(sys::pid());
  name_recorder(sys::pid(), now == State::On ? g_epoch + 1 : 0);
  if (now == State::Uninitialized || now == State::Off) return;
  // The thread that was starting or stopping the recorder does not exist here.
  if (now != State::On) {
    g_recording.store(false, std::memory_order_relaxed);
    g_state.store(State::Off, std::memory_order_relaxed);
    return;
  }
  enter_child_if_forked();
}

}  // namespace

SharedFlag* g_parent_flag = &g_no_parent;

void* map_wiped(size_t bytes) noexcept {
  void* at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return nullptr;
  if (::madvise(at, bytes, MADV_WIPEONFORK) == 0) return at;
  const unsigned i = g_unwiped_count.fetch_add(1, std::memory_order_relaxed);
  if (i < sizeof g_unwiped / sizeof *g_unwiped) {
    g_unwiped[i] = {at, bytes};
    return at;
  }
  ::munmap(at, bytes);
  return nullptr;
}

void register_fork_handlers() noexcept {
  ::pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

void ask_for_parent() noexcept {
  g_no_parent.recording.store(SharedFlag::kAsk, std::memory_order_relaxed);
}

bool parent_is_recording() noexcept {
  static std::atomic<int64_t> next_ns{0};
  const uint32_t flag = g_parent_flag->recording.load(std::memory_order_acquire);
  if (flag != SharedFlag::kAsk) return flag == SharedFlag::kYes;
  const int64_t now = read_clock_ns(CLOCK_MONOTONIC_COARSE);
  int64_t due = next_ns.load(std::memory_order_relaxed);
  return now >= due && next_ns.compare_exchange_strong(due, now + kAskNs) && parent_records();
}

void tell_children() noexcept {
  if (g_own_flag != nullptr)
    g_own_flag->recording.store(SharedFlag::kYes, std::memory_order_release);
}

bool is_forked() noexcept {
  return g_forked;
}

void enter_child_if_forked() noexcept {
  uint32_t wiped = 0;
  if (!g_process->pid.compare_exchange_strong(wiped, sys::pid(), std::memory_order_acq_rel)) return;
  ++g_epoch;
  forget_helpers();
  enter_child_window();
  stacks::fork_child();
  cupti::fork_child();
}

uint32_t epoch() noexcept {
  return g_epoch;
}

LoaderUse::LoaderUse() noexcept
    : allowed_((g_loader_users.fetch_add(1, std::memory_order_acquire) & kForking) == 0) {
  if (!allowed_) g_loader_users.fetch_sub(1, std::memory_order_release);
}
LoaderUse::~LoaderUse() noexcept {
  if (allowed_) g_loader_users.fetch_sub(1, std::memory_order_release);
}

}  // namespace gpustall::interpose
