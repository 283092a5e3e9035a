// Where the CUDA source begins: InitializeInjection, which the driver calls once during cuInit in
// the library that CUDA_INJECTION64_PATH names, and the core's seams.
#include "libinterpose/cupti/session.h"
#include "libinterpose/nvtx/ranges.h"
#include "libinterpose/seams.h"

namespace gpustall::interpose::cupti {

// Recording may have begun without CUDA (in a worker of a recording process): then CUPTI waits for
// InitializeInjection.
void start(HookGuard& guard) noexcept {
  start_session(guard);
}

bool usable() noexcept {
  return g_mode.load(std::memory_order_relaxed) != Mode::Dead;
}

bool active() noexcept {
  return is_active();
}

void fork_child() noexcept {
  forget_session();
  nvtx::forget_ranges();
}

}  // namespace gpustall::interpose::cupti

// Called by the driver without protection against exceptions; the result's meaning is not
// documented, the program goes on with either. Repeated calls change nothing.
extern "C" __attribute__((visibility("default"))) int InitializeInjection(void) noexcept {
  using namespace gpustall::interpose;
  if (!start_recording(StartReason::Injection)) return 1;
  HookGuard guard{HookGuard::AnyWindow{}};
  if (guard.recording()) cupti::start_session(guard);
  return 1;
}
