// Walking a moving target. From 3.11 on frames lie on the thread's data stack, which is copied in
// one call; frames of generators, C-stack shims and everything before 3.11 are read one by one.
#include "libinterpose/stacks/guarded_walk.h"

#include <cstring>

namespace gpustall::interpose {
namespace {

// A position in the chain while it is being read.
struct Chain {
  const PythonLayout& l;
  MemoryView& view;
  GuardedThread& thread;
  GuardedFrame found[kMaxFrames];
  unsigned count = 0;
  bool cut = false;
};

uintptr_t top_frame(const Chain& c, const uint8_t* tstate) noexcept {
  const auto top = load_at<uintptr_t>(tstate, c.l.tstate_frame);
  if (!c.l.has_cframe) return top;
  const uint8_t* cframe = c.view.at(top, 16);
  return cframe == nullptr ? 1 : load_at<uintptr_t>(cframe, c.l.cframe_frame);
}

// False for a link that cannot be: unreadable, not aligned, no position.
bool follow(Chain& c, uintptr_t frame) noexcept {
  const size_t bytes = c.l.code_instructions == 0 ? 112 : 80;
  for (unsigned steps = 0; frame != 0 && steps < 3 * kMaxFrames; ++steps) {
    if ((frame & 7) != 0) return false;
    const uint8_t* at = c.view.at(frame, bytes);
    if (at == nullptr) return false;
    GuardedFrame& out = c.found[c.count];
    out.address = frame;
    frame = load_at<uintptr_t>(at, c.l.frame_prev);
    if (c.l.first_shim_owner != 0 && at[c.l.frame_owner] >= c.l.first_shim_owner) continue;
    out.frame.code =
        load_at<uintptr_t>(at, c.l.frame_code) & (c.l.tagged_code ? ~uintptr_t{3} : ~uintptr_t{0});
    if (!position_of(c.l, load_at<uint64_t>(at, c.l.frame_pos), out.frame)) return false;
    if (++c.count == kMaxFrames) break;
  }
  c.cut = frame != 0;
  return true;
}

// The keys of the outer frames that are as in the walk before: the same frame with the same code at
// the same position. How many, counted from the outermost.
unsigned reuse_keys(Chain& c) noexcept {
  unsigned same = 0;
  while (same < c.count && same < c.thread.count) {
    GuardedFrame& now = c.found[c.count - 1 - same];
    const GuardedFrame& before = c.thread.frames[c.thread.count - 1 - same];
    if (now.address != before.address || now.frame.code != before.frame.code ||
        now.frame.position != before.frame.position)
      break;
    now.frame.key = before.frame.key;
    ++same;
  }
  return same;
}

// Reads the code objects of the first `count` frames and proves that they are some.
bool read_keys(Chain& c, GuardedMemory& memory, const PythonLayout& l, unsigned count) noexcept {
  constexpr unsigned kBatch = 32;
  uint8_t objects[kBatch][kCodeBytes];
  ReadPart parts[kBatch];
  for (unsigned begin = 0; begin < count; begin += kBatch) {
    const unsigned n = count - begin < kBatch ? count - begin : kBatch;
    for (unsigned i = 0; i < n; ++i)
      parts[i] = {c.found[begin + i].frame.code, objects[i], kCodeBytes};
    if (!memory.read_all(parts, n)) return false;
    for (unsigned i = 0; i < n; ++i)
      if (!key_of(l, objects[i], c.found[begin + i].frame)) return false;
  }
  return true;
}

bool walk_once(const PythonLayout& l, GuardedMemory& memory, MemoryView& view,
               GuardedThread& thread) noexcept {
  view.begin(memory);
  const uint8_t* at = view.at(thread.tstate, l.tstate_chunk + 24u + l.tstate_thread_id);
  if (at == nullptr) return false;
  if (thread.pthread != 0 && load_at<uint64_t>(at, l.tstate_thread_id) != thread.pthread) {
    thread.count = 0;  // it gave its state back, as C++ threads that call Python do
    return true;
  }
  Chain c{l, view, thread, {}, 0, false};
  if (l.tstate_chunk != 0) {
    const auto chunk = load_at<uintptr_t>(at, l.tstate_chunk);
    const auto top = load_at<uintptr_t>(at, l.tstate_chunk + 8u);
    constexpr uintptr_t kCopied = 16 << 10;
    if (chunk != 0 && top > chunk && top - chunk < 64 * kCopied)
      view.preload(top - chunk > kCopied ? top - kCopied : chunk,
                   top - chunk > kCopied ? kCopied : top - chunk);
  }
  if (!follow(c, top_frame(c, at))) return false;
  if (!read_keys(c, memory, l, c.count - reuse_keys(c))) return false;
  std::memcpy(thread.frames, c.found, c.count * sizeof c.found[0]);
  thread.count = c.count;
  thread.cut = c.cut;
  return true;
}

}  // namespace

bool walk_guarded(const PythonLayout& layout, GuardedMemory& memory, MemoryView& view,
                  GuardedThread& thread) noexcept {
  constexpr int kTries = 5;
  const uintptr_t root = thread.count == 0 ? 0 : thread.frames[thread.count - 1].address;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    if (!walk_once(layout, memory, view, thread)) continue;
    // A frame that is freed while it is followed ends the chain early, without a sign. A thread's
    // outermost frame changes rarely, so another one than before counts only if it stays.
    const uintptr_t now = thread.count == 0 ? 0 : thread.frames[thread.count - 1].address;
    if (root == 0 || now == root || thread.cut || attempt == kTries - 1) return true;
  }
  thread.count = 0;
  return false;
}

}  // namespace gpustall::interpose
