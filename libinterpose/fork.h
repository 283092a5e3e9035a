// fork: the child leaks the parent's state and starts as a new epoch. All mutable state of the
// recorder lives in memory that the kernel wipes in a child (MADV_WIPEONFORK), so a child is
// noticed by reading zeros even where pthread_atfork was bypassed; the trace's mapping does not
// exist in a child (MADV_DONTFORK). Children by vfork share our memory and stay inert.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace gpustall::interpose {

// Zeroed pages for the life of the process; zero again in a forked child. Null: no memory.
void* map_wiped(size_t bytes) noexcept;

// A page shared with later forked children, so that a worker that was forked before this process
// recorded can join in.
struct SharedFlag {
  static constexpr uint32_t kNo = 0, kYes = 1, kAsk = 2;  // kAsk: parent_records() knows
  std::atomic<uint32_t> recording;
};
extern SharedFlag* g_parent_flag;  // never null; the parent's page, or one of our own

void register_fork_handlers() noexcept;
// There is a parent that may record, although no page is shared with it (exec).
void ask_for_parent() noexcept;
// Whether the parent records; asks the file system every 50 ms at most.
bool parent_is_recording() noexcept;
// This process came from a fork of one that this library was loaded in.
bool is_forked() noexcept;
// This process records now: children forked before see it.
void tell_children() noexcept;
// True in a forked child that has not yet begun its own epoch; begins it.
void enter_child_if_forked() noexcept;
uint32_t epoch() noexcept;

// Guards uses of the loader's data (dl_iterate_phdr, libunwind) and of NVML by our own code: fork
// waits, for at most 20 ms, until no such use is under way, since nobody resets those locks in the
// child.
// False: a fork is under way, leave the work out.
class LoaderUse {
 public:
  LoaderUse() noexcept;
  ~LoaderUse() noexcept;
  LoaderUse(const LoaderUse&) = delete;
  LoaderUse& operator=(const LoaderUse&) = delete;
  bool allowed() const noexcept { return allowed_; }

 private:
  bool allowed_;
};

}  // namespace gpustall::interpose
