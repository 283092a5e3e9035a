// Native stacks of the calling thread, as return addresses, innermost first; names are found after
// the run. For calls above the stack threshold only: a new stack costs 150 ns per frame. Never in a
// forked child. The unwinder is libgcc's, linked static and hidden: Debian's libunwind.a is not
// position independent, and libgcc's finds unwind tables through _dl_find_object, which takes no
// lock, so a thread inside the loader cannot be waited for.
#pragma once
#include <cstdint>

#include "libinterpose/hook_guard.h"

namespace gpustall::interpose {

inline constexpr unsigned kMaxNativeFrames = 48;

// The last stacks of a thread. One is met again when the capture starts at the same place on the C
// stack and every slot that held a return address holds the same one: 1 ns per frame.
class NativeCache {
 public:
  // The id of the caller's stack, 0 when it cannot be unwound.
  uint32_t capture(HookGuard& guard) noexcept;
  // Another thread takes the cache over: its C stack may end where the old one went on.
  void forget() noexcept {
    for (Entry& entry : entries_) entry.count = 0;
  }

 private:
  struct Entry {
    uintptr_t frame;  // where the capture ran
    uint32_t id, count;
    uint32_t slot[kMaxNativeFrames];  // of the return address, bytes above `frame`
    uint64_t pc[kMaxNativeFrames];
  };
  Entry entries_[16];
  uint32_t next_;

  static bool same(const Entry& entry, uintptr_t frame) noexcept;
};

// Plain store, from the atfork handler.
void native_stacks_off() noexcept;

}  // namespace gpustall::interpose
