#include "libinterpose/cuda_originals.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>

#include <cstring>

#include "libinterpose/fork.h"
#include "libinterpose/hooks.h"

namespace gpustall::interpose {

namespace {

struct Runtime {
  char path[4096];
};

int match_runtime(dl_phdr_info* info, size_t, void* to) noexcept {
  const char* path = info->dlpi_name;
  const char* slash = path == nullptr ? nullptr : std::strrchr(path, '/');
  if (slash == nullptr || std::strncmp(slash + 1, "libcudart", 9) != 0) return 0;
  auto* runtime = static_cast<Runtime*>(to);
  if (std::strlen(path) >= sizeof runtime->path) return 0;
  std::strcpy(runtime->path, path);
  return 1;
}

// The symbol as seen from a library that is loaded already; never loads one.
void* in_loaded(const char* path, const char* symbol) noexcept {
  void* handle = ::dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;  // never dlsym(NULL): that is the global scope, with us
  void* found = ::dlsym(handle, symbol);
  ::dlclose(handle);
  return found;
}

}  // namespace

void* CudaOriginal::look_up(const char* symbol, void* caller) noexcept {
  const int kept = errno;
  void* found = find_original(symbol);  // RTLD_NEXT, not ourselves
  Dl_info info;
  if (found == nullptr && ::dladdr(caller, &info) != 0 && info.dli_fname != nullptr)
    found = outside(in_loaded(info.dli_fname, symbol));
  if (found == nullptr) {
    Runtime runtime{};
    if (::dl_iterate_phdr(match_runtime, &runtime) != 0)
      found = outside(in_loaded(runtime.path, symbol));
  }
  if (found != nullptr) found_.store(found, std::memory_order_release);
  errno = kept;
  return found;
}

}  // namespace gpustall::interpose
