// What the device really does beside the program's threads: host functions at their modelled
// moment, and the bytes of large asynchronous copies, so that such a copy costs the host what it
// costs on real hardware: one call.
#pragma once
#include <cstddef>
#include <cstdint>

#include "effect.h"

namespace simgpu {

// A host function of a stream (cudaLaunchHostFunc): called at that moment, and done by then for all
// who wait.
void call_in_background(int64_t when_ns, void (*call)(void*), void* user);

// A copy whose result nobody on the host waits for has no due moment: kernels do not read what it
// brings, so that a synchronisation need not wait for the bytes. Whoever reads or frees the memory
// does wait.
constexpr int64_t kNeverDue = INT64_MAX - 1;

// Does the effect: a large copy in the background when it may, anything else at once, after those
// background copies that touch the same memory.
struct Manner {
  bool background;
  int64_t due_ns;
};
void apply_effect(const Effect&, Manner);

// Whether the real work behind everything that is due by then is done; and waiting for it.
bool background_done(int64_t until_ns);
void wait_for_background(int64_t until_ns);
// Before memory goes away.
void wait_for_copies_of(const void* base, size_t bytes);

}  // namespace simgpu
