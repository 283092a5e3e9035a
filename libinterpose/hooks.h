// The originals (real::) of every libc function in hooks.def, and the macro that exports a wrapper.
// A pointer starts at an early version that needs no constructor (a raw system call, or a look-up
// of that one symbol): constructors of other libraries run before ours.
#pragma once
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>

#include <cstddef>

namespace gpustall::interpose {

namespace real {
#define GPUSTALL_WAIT_HOOK(symbol, wait, result, parameters, arguments, early, object) \
  extern result(*symbol) parameters;
#define GPUSTALL_WAKE_HOOK(symbol, type, kind) extern int (*symbol)(type*);
#define GPUSTALL_OTHER_HOOK(symbol, result, parameters, arguments, early) \
  extern result(*symbol) parameters;
#include "libinterpose/hooks.def"
}  // namespace real

// In the constructor: every original of libc, eagerly.
void resolve_libc() noexcept;
// The next definition of a symbol after ours (of pthread_cond_*: in the right ABI version), or
// null.
void* find_original(const char* symbol) noexcept;
// The same address unless it lies in this library: then null.
void* outside(void* address) noexcept;

}  // namespace gpustall::interpose
