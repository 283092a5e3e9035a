// What a wait was for: kind, inode and path of a descriptor; the interpreter's lock. System calls
// only after long waits, path look-ups only for an inode not seen before.
#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "libinterpose/dictionary.h"
#include "libinterpose/waits.h"

namespace gpustall::interpose {

namespace {

uint64_t g_runtime_begin = 0, g_runtime_end = 0;

trace::ObjectKind kind_of(const struct stat& s) noexcept {
  using trace::ObjectKind;
  switch (s.st_mode & S_IFMT) {
    case S_IFREG:
    case S_IFDIR:
    case S_IFBLK:
      return ObjectKind::File;
    case S_IFIFO:
      return ObjectKind::Pipe;
    case S_IFSOCK:
      return ObjectKind::Socket;
    case S_IFCHR: {
      const unsigned m = major(s.st_rdev);
      return m == 4 || m == 5 || (m >= 136 && m <= 143) ? ObjectKind::Tty : ObjectKind::Device;
    }
    default:
      return ObjectKind::EventFd;  // anonymous inodes: eventfd, epoll, timerfd (the path says
                                   // which)
  }
}

}  // namespace

uint32_t object_of_fd(HookGuard& guard, int fd) noexcept {
  struct stat s;
  if (fd < 0 || ::fstat(fd, &s) != 0) return 0;
  const trace::ObjectKind kind = kind_of(s);
  // Pipes and sockets meet across processes by inode alone; inodes of files repeat per device, and
  // all anonymous inodes are one, so there the descriptor must do.
  uint64_t identity = s.st_ino;
  if (kind == trace::ObjectKind::File) identity ^= uint64_t{s.st_dev} << 44;
  if (kind == trace::ObjectKind::EventFd) identity ^= static_cast<uint64_t>(fd) << 44;
  if (const uint32_t id = find_object(guard, kind, identity); id != 0) return id;
  char link[32], path[1024];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t n = ::readlink(link, path, sizeof path);
  return intern_object(guard, kind, identity, {path, n > 0 ? static_cast<size_t>(n) : 0});
}

WaitObject on_poll(const pollfd* fds, uint64_t n) noexcept {
  for (uint64_t i = 0; i < n; ++i)
    if (fds[i].revents != 0) return on_fd(fds[i].fd);
  return n != 0 ? on_fd(fds[0].fd) : on_nothing();
}

WaitObject on_select(int n, const fd_set* in) noexcept {
  for (int i = 0; in != nullptr && i < n && i < FD_SETSIZE; ++i)
    if (FD_ISSET(i, in)) return on_fd(i);
  return on_nothing();
}

void find_gil() noexcept {
  void* runtime = ::dlsym(RTLD_DEFAULT, "_PyRuntime");
  if (runtime == nullptr) return;
  Dl_info info;
  void* entry = nullptr;
  if (::dladdr1(runtime, &info, &entry, RTLD_DL_SYMENT) == 0) return;
  const auto* symbol = static_cast<const ElfW(Sym)*>(entry);
  if (symbol == nullptr || info.dli_saddr != runtime) return;
  g_runtime_begin = reinterpret_cast<uint64_t>(runtime);
  g_runtime_end = g_runtime_begin + symbol->st_size;
}

bool is_gil(uint64_t address) noexcept {
  return address >= g_runtime_begin && address < g_runtime_end;
}

}  // namespace gpustall::interpose
