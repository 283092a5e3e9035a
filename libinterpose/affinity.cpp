#include "libinterpose/affinity.h"

#include <dlfcn.h>
#include <sched.h>

#include <cstdio>

#include "libinterpose/info_record.h"

namespace gpustall::interpose {
namespace {

int g_at_start = 0;
struct Narrowing {  // the strongest so far
  int before, after;
  const void* caller;
};
Narrowing g_narrowing{};  // a race of two threads leaves one of them

}  // namespace

int allowed_cpus() noexcept {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  return ::sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 0;
}

void remember_cpus() noexcept {
  g_at_start = allowed_cpus();
}

void note_affinity(int before, const void* caller) noexcept {
  const int after = allowed_cpus();
  if (after == 0 || after >= before) return;
  if (g_narrowing.after == 0 || after < g_narrowing.after) g_narrowing = {before, after, caller};
}

void write_affinity(HookGuard& guard) noexcept {
  char text[600];
  std::snprintf(text, sizeof text, "%d", g_at_start);
  if (g_at_start != 0) put_info(guard, "cpu.at_start", text);
  if (g_narrowing.after == 0) return;
  Dl_info library{};
  const bool known = ::dladdr(g_narrowing.caller, &library) != 0 && library.dli_fname != nullptr;
  std::snprintf(text, sizeof text, "%d to %d by %.500s", g_narrowing.before, g_narrowing.after,
                known ? library.dli_fname : "?");
  put_info(guard, "cpu.narrowed", text);
}

}  // namespace gpustall::interpose
