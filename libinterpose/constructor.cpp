// What happens when the library is loaded, in microseconds: no thread, no file, no CUPTI. Whatever
// fails here leaves the library inert.
#include <stdlib.h>

#include "libinterpose/affinity.h"
#include "libinterpose/clock.h"
#include "libinterpose/creators.h"
#include "libinterpose/fork.h"
#include "libinterpose/hooks.h"
#include "libinterpose/process.h"
#include "libinterpose/run_directory.h"
#include "libinterpose/settings.h"
#include "libinterpose/state.h"

namespace gpustall::interpose {

namespace {

// The CUDA driver and NVTX load this same file by these; a value that is there already is kept.
void set_injection() noexcept {
  const char* path = own_path();
  if (*path == '\0') return;
  ::setenv("CUDA_INJECTION64_PATH", path, 0);
  ::setenv("NVTX_INJECTION64_PATH", path, 0);
}

__attribute__((constructor)) void on_load(int argc, char** argv, char**) noexcept {
  resolve_libc();
  read_settings();
  g_process = static_cast<Process*>(map_wiped(sizeof(Process)));
  if (!g_settings.enabled || g_process == nullptr) {
    g_state.store(State::Off);
    return;
  }
  g_process->pid.store(static_cast<uint32_t>(::getpid()));
  note_first_clock();
  remember_cpus();
  make_thread_key();
  register_fork_handlers();
  set_injection();
  note_command(argc, argv);
  if (!is_python_process()) return;
  // Started by a Python process (spawn, forkserver): it joins once that one records.
  const bool has_parent = find_parent();
  name_the_run();
  if (has_parent) ask_for_parent();
}

}  // namespace

}  // namespace gpustall::interpose
