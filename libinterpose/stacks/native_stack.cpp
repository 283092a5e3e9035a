// Unwinding through the tables that exceptions use. Everything here runs on the victim's thread
// after its call returned, so nothing may block, and nothing is read outside the part of the C
// stack that the unwinder itself walked.
#include "libinterpose/stacks/native_stack.h"

#include <unwind.h>

#include <cstring>

#include "libinterpose/dictionary.h"
#include "libinterpose/fork.h"
#include "libinterpose/recorder.h"
#include "libinterpose/seams.h"
#include "libinterpose/settings.h"
#include "libinterpose/stacks/thread_part.h"

// Placed by the linker: our own text, which is left out of stacks.
extern "C" {
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));
}

namespace gpustall::interpose {
namespace {

bool g_off = false;  // only ever set in a child of fork that has one thread

struct Walk {
  uintptr_t frame;  // of the capturing function: frames below it are the unwinder's
  unsigned count;
  uint32_t* slot;
  uint64_t* pc;
};

_Unwind_Reason_Code visit(_Unwind_Context* context, void* data) {
  auto& walk = *static_cast<Walk*>(data);
  const uintptr_t pc = _Unwind_GetIP(context);
  if (pc == 0 || walk.count == kMaxNativeFrames) return _URC_END_OF_STACK;
  // The return address stands just below the frame that it returns to.
  const uintptr_t slot = _Unwind_GetCFA(context) - sizeof(uintptr_t);
  if (slot < walk.frame) return _URC_NO_REASON;
  if (slot - walk.frame > UINT32_MAX) return _URC_END_OF_STACK;  // another stack
  walk.slot[walk.count] = static_cast<uint32_t>(slot - walk.frame);
  walk.pc[walk.count++] = pc;
  return _URC_NO_REASON;
}

bool is_own(uint64_t pc) noexcept {
  return pc >= reinterpret_cast<uintptr_t>(__ehdr_start) && pc < reinterpret_cast<uintptr_t>(etext);
}

}  // namespace

bool NativeCache::same(const Entry& entry, uintptr_t frame) noexcept {
  if (entry.frame != frame || entry.count == 0) return false;
  for (unsigned i = 0; i < entry.count; ++i) {
    uint64_t now;
    std::memcpy(&now, reinterpret_cast<const void*>(frame + entry.slot[i]), sizeof now);
    if (now != entry.pc[i]) return false;
  }
  return true;
}

[[gnu::noinline]] uint32_t NativeCache::capture(HookGuard& guard) noexcept {
  const auto frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  for (const Entry& entry : entries_)
    if (same(entry, frame)) return entry.id;
  Entry& entry = entries_[next_++ % 16];
  Walk walk{frame, 0, entry.slot, entry.pc};
  {
    // Not needed with libgcc on glibc >= 2.35; unwinders that call dl_iterate_phdr take its lock.
    const LoaderUse loader;
    if (!loader.allowed()) return 0;
    _Unwind_Backtrace(visit, &walk);
  }
  entry.frame = frame;
  entry.count = walk.count;
  unsigned own = 0;
  while (own < walk.count && is_own(entry.pc[own])) ++own;
  entry.id = own == walk.count ? 0 : intern_native(guard, entry.pc + own, walk.count - own);
  return entry.id;
}

void native_stacks_off() noexcept {
  g_off = true;
}

uint32_t stacks::native_stack(HookGuard& guard) noexcept {
  if (g_off || !g_settings.native_stacks) return 0;
  StackArea* area = stack_area(guard.thread());
  return area == nullptr ? 0 : area->native.capture(guard);
}

}  // namespace gpustall::interpose
