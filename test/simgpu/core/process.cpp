// The first call of a process reads the settings and loads the library named by
// CUDA_INJECTION64_PATH, whose InitializeInjection may itself call CUDA and CUPTI: the starting
// thread passes through, other threads wait.
#include "process.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include <atomic>

#include "device.h"
#include "futex_lock.h"
#include "notice.h"
#include "truth_log.h"

namespace simgpu {
namespace {

enum class State : uint32_t { Unused, Started, Forked };
std::atomic<State> g_state{State::Unused};
FutexLock g_starting;
thread_local bool t_starting = false;

void forget_in_child() {
  g_state.store(State::Forked);
  drop_log_in_child();
}

void inject() {
  const char* path = getenv("CUDA_INJECTION64_PATH");
  if (!path || !*path) return;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  using Initialize = int (*)();
  Initialize initialize =
      library ? reinterpret_cast<Initialize>(dlsym(library, "InitializeInjection")) : nullptr;
  if (initialize)
    initialize();
  else
    notice("CUDA_INJECTION64_PATH: %s", dlerror());
}

}  // namespace

Status ensure_started() {
  const State state = g_state.load(std::memory_order_acquire);
  if (state == State::Started) [[likely]]
    return device_count() >= 1 ? kSuccess : kNoDevice;
  if (state == State::Forked) return kNotInitialized;
  if (!t_starting) {
    LockGuard guard(g_starting);
    if (g_state.load() == State::Unused) {
      t_starting = true;
      pthread_atfork(nullptr, nullptr, forget_in_child);
      inject();
      g_state.store(State::Started, std::memory_order_release);
      t_starting = false;
    }
  }
  return device_count() >= 1 ? kSuccess : kNoDevice;
}

}  // namespace simgpu
