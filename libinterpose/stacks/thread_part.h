// What stacks/ keeps per thread: a small part inside ThreadState, read by the sampler, and the
// walking memory it points to, mapped at the thread's first stack and never freed. A forked child's
// parts are wiped, so it maps its own; the parent's copy of the area is left unused there.
#pragma once
#include <cstdint>

#include "libinterpose/stacks/native_stack.h"
#include "libinterpose/stacks/python_code.h"
#include "libinterpose/thread_state.h"

namespace gpustall::interpose {

struct StackArea {
  NodeCache nodes;
  NativeCache native;
  PythonFrame frames[kMaxFrames];
  TextBuffer text;  // touched only when a code object is new
};

// The owner writes and the sampler reads the marked fields, with __atomic builtins.
struct StacksPart {
  uint32_t tid;  // whose values these are: a ThreadState is taken over by later threads
  StackArea* area;
  uint64_t tstate;  // shared: the thread's PyThreadState at its last stack
  uint64_t calls;   // shared: stacks with frames so far
};

// Null when there is no memory.
StackArea* stack_area(ThreadState& thread) noexcept;

}  // namespace gpustall::interpose
