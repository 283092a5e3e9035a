// The Python stack of a thread that goes on running, here or in a worker process. The chain changes
// while it is read, so every link and code object is checked and a torn walk is repeated; what
// passes is a stack that the thread had, but for frames that changed during the few microseconds.
#pragma once
#include <cstdint>

#include "libinterpose/stacks/guarded_memory.h"
#include "libinterpose/stacks/python_code.h"

namespace gpustall::interpose {

struct GuardedFrame {
  uintptr_t address;
  PythonFrame frame;
};

// One walked thread. All zero is a valid, unused one.
struct GuardedThread {
  uintptr_t tstate;
  uint64_t pthread;  // thread_id that the state must have; 0: not known
  unsigned count;    // frames of the last good walk, innermost first
  bool cut;          // there were more
  GuardedFrame frames[kMaxFrames];
};

// Walks until the chain holds together, at most five times; false: `thread.count` is 0. The
// layout's addresses are those of the process that is read.
bool walk_guarded(const PythonLayout& layout, GuardedMemory& memory, MemoryView& view,
                  GuardedThread& thread) noexcept;

}  // namespace gpustall::interpose
