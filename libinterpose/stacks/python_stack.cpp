// The Python stack of the calling thread, without the GIL: the chain of frames is written only by
// its own thread, which is here, and frames keep their code objects alive, so plain loads are safe.
// One case is left: a C-level signal handler that waits inside the few instructions in which 3.11
// and 3.12 have a half-made cframe; CPython's own handler only writes to its wake-up descriptor.
#include "libinterpose/fork.h"
#include "libinterpose/recorder.h"
#include "libinterpose/seams.h"
#include "libinterpose/settings.h"
#include "libinterpose/stacks/python_code.h"
#include "libinterpose/stacks/thread_part.h"

namespace gpustall::interpose {
namespace {

// Innermost first into `frames`; `cut` when there are more. 3-4 ns per frame.
unsigned walk_own(const PythonLayout& l, const uint8_t* tstate, PythonFrame* frames,
                  bool& cut) noexcept {
  const auto* frame = load_at<const uint8_t*>(tstate, l.tstate_frame);
  if (l.has_cframe && frame != nullptr) frame = load_at<const uint8_t*>(frame, l.cframe_frame);
  unsigned count = 0;
  // Shims between runs of Python code do not count, so the number of steps has its own bound.
  for (unsigned steps = 0; frame != nullptr && steps < 3 * kMaxFrames; ++steps) {
    const uint8_t* at = frame;
    frame = load_at<const uint8_t*>(at, l.frame_prev);
    if (l.first_shim_owner != 0 && at[l.frame_owner] >= l.first_shim_owner) continue;
    PythonFrame& out = frames[count];
    out.code =
        load_at<uintptr_t>(at, l.frame_code) & (l.tagged_code ? ~uintptr_t{3} : ~uintptr_t{0});
    if (out.code == 0 || !key_of(l, reinterpret_cast<const uint8_t*>(out.code), out) ||
        !position_of(l, load_at<uint64_t>(at, l.frame_pos), out))
      continue;
    if (++count == kMaxFrames) break;
  }
  cut = frame != nullptr;
  return count;
}

}  // namespace

StackArea* stack_area(ThreadState& thread) noexcept {
  auto& part = part_of<StacksPart>(thread, ThreadPart::Stacks);
  const uint32_t tid = thread.tid.load(std::memory_order_relaxed);
  if (part.tid == tid) return part.area;
  if (part.area == nullptr) part.area = static_cast<StackArea*>(map_wiped(sizeof(StackArea)));
  if (part.area != nullptr) part.area->native.forget();
  part.tid = tid;
  __atomic_store_n(&part.tstate, 0, __ATOMIC_RELAXED);
  __atomic_store_n(&part.calls, 0, __ATOMIC_RELAXED);
  return part.area;
}

namespace stacks {

uint32_t python_stack(HookGuard& guard) noexcept {
  const PythonLayout* l = python_layout();
  if (l == nullptr || !g_settings.python_stacks) return 0;
  const uint8_t* tstate = own_thread_state();
  if (tstate == nullptr) return 0;
  ThreadState& thread = guard.thread();
  auto& part = part_of<StacksPart>(thread, ThreadPart::Stacks);
  // A state that was made for another thread would be walked while that one runs.
  if (load_at<uint64_t>(tstate, l->tstate_thread_id) != thread.pthread) return 0;
  StackArea* area = stack_area(thread);
  if (area == nullptr) return 0;
  __atomic_store_n(&part.tstate, reinterpret_cast<uint64_t>(tstate), __ATOMIC_RELAXED);
  bool cut = false;
  unsigned left = walk_own(*l, tstate, area->frames, cut);
  if (left != 0) __atomic_store_n(&part.calls, part.calls + 1, __ATOMIC_RELAXED);
  uint32_t node = cut ? truncated_root(guard) : 0;
  OwnMemory memory;
  while (left-- > 0) {
    const uint32_t child =
        area->nodes.child(guard, *l, memory, node, area->frames[left], area->text);
    if (child == 0) {
      count_loss(trace::LossKind::StackUnreadable);
      return node;  // the outer part is still true
    }
    node = child;
  }
  return node;
}

}  // namespace stacks
}  // namespace gpustall::interpose
