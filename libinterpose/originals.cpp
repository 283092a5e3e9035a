// real:: and its look-up. Never by dlsym in a hook after the constructor, never into ourselves.
#include <dlfcn.h>
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "libinterpose/hooks.h"

namespace gpustall::interpose {

namespace {

constexpr long kByLookup = -1;

// What answers until the constructor has run. Where the kernel can answer, no dlsym: the start of
// an allocator may be what reads here. The kernel ignores surplus arguments (the sizes of the
// fortified variants). A symbol that this libc lacks (sem_clockwait before 2.30) fails as such.
template <long kNumber, class Result, class... Parameters>
struct Early {
  Result (*&real)(Parameters...);
  const char* symbol;

  Result operator()(Parameters... p) const {
    if constexpr (kNumber != kByLookup) return static_cast<Result>(::syscall(kNumber, p...));
    void* found = find_original(symbol);
    if (found == nullptr) {
      errno = ENOSYS;
      return static_cast<Result>(-1);
    }
    real = reinterpret_cast<Result (*)(Parameters...)>(found);
    return real(p...);
  }
};
template <long kNumber, class Result, class... Parameters>
Early<kNumber, Result, Parameters...> early(Result (*&real)(Parameters...), const char* symbol) {
  return {real, symbol};
}

template <class Result, class... Parameters>
void resolve(Result (*&real)(Parameters...), const char* symbol) noexcept {
  if (void* found = find_original(symbol); found != nullptr)
    real = reinterpret_cast<Result (*)(Parameters...)>(found);
}

#define GPUSTALL_WAIT_HOOK(symbol, wait, result, parameters, arguments, number, object) \
  result early_##symbol parameters {                                                    \
    return early<number>(real::symbol, #symbol) arguments;                              \
  }
#define GPUSTALL_WAKE_HOOK(symbol, type, kind)              \
  int early_##symbol(type* object) {                        \
    return early<kByLookup>(real::symbol, #symbol)(object); \
  }
#define GPUSTALL_OTHER_HOOK(symbol, result, parameters, arguments, number) \
  result early_##symbol parameters {                                       \
    return early<number>(real::symbol, #symbol) arguments;                 \
  }
#include "libinterpose/hooks.def"

}  // namespace

namespace real {
#define GPUSTALL_WAIT_HOOK(symbol, wait, result, parameters, arguments, number, object) \
  result(*symbol) parameters = early_##symbol;
#define GPUSTALL_WAKE_HOOK(symbol, type, kind) int (*symbol)(type*) = early_##symbol;
#define GPUSTALL_OTHER_HOOK(symbol, result, parameters, arguments, number) \
  result(*symbol) parameters = early_##symbol;
#include "libinterpose/hooks.def"
}  // namespace real

void* find_original(const char* symbol) noexcept {
  void* found = nullptr;
  // Two ABIs live under these names; an unversioned look-up may give the one of 2002.
  if (std::strncmp(symbol, "pthread_cond_", 13) == 0)
    found = ::dlvsym(RTLD_NEXT, symbol, "GLIBC_2.3.2");
  if (found == nullptr) found = ::dlsym(RTLD_NEXT, symbol);
  return outside(found);
}

// The linker's own marks of our image; dladdr would search libc's symbol table, 10 us a time.
extern "C" {
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));
}

void* outside(void* address) noexcept {
  const auto* at = static_cast<const char*>(address);
  return at >= __ehdr_start && at < _end ? nullptr : address;
}

void resolve_libc() noexcept {
#define GPUSTALL_WAIT_HOOK(symbol, wait, result, parameters, arguments, number, object) \
  resolve(real::symbol, #symbol);
#define GPUSTALL_WAKE_HOOK(symbol, type, kind) resolve(real::symbol, #symbol);
#define GPUSTALL_OTHER_HOOK(symbol, result, parameters, arguments, number) \
  resolve(real::symbol, #symbol);
#include "libinterpose/hooks.def"
}

}  // namespace gpustall::interpose
