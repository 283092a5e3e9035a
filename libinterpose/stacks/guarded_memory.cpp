// The two ways to read memory without trusting its address. System calls are made directly: libc's
// entry points are hooked, and this is the recorder's own work.
#include "libinterpose/stacks/guarded_memory.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace gpustall::interpose {

void GuardedMemory::open(pid_t pid) noexcept {
  close();
  pid_ = pid;
  refusal_ = 0;
  gone_ = false;
}

void GuardedMemory::close() noexcept {
  if (mem_ >= 0) syscall(SYS_close, mem_);
  mem_ = -1;
  pid_ = 0;
}

bool GuardedMemory::open_mem() noexcept {
  if (mem_ >= 0) return true;
  char path[40];
  std::snprintf(path, sizeof path, "/proc/%d/mem", static_cast<int>(pid_));
  mem_ = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC));
  return mem_ >= 0;
}

size_t GuardedMemory::read(uintptr_t from, void* to, size_t size) noexcept {
  long got = -1;
  if (mem_ < 0) {
    const iovec local{to, size}, remote{reinterpret_cast<void*>(from), size};
    got = syscall(SYS_process_vm_readv, pid_, &local, 1, &remote, 1, 0);
    if (got >= 0) return static_cast<size_t>(got);
    gone_ = errno == ESRCH;
    if (errno != EPERM && errno != ENOSYS) return 0;
    refusal_ = errno;  // seccomp answers with either; Yama with EPERM, and then for both ways
    if (!open_mem()) return 0;
  }
  got = syscall(SYS_pread64, mem_, to, size, static_cast<off_t>(from));
  if (got > 0) refusal_ = 0;
  return got > 0 ? static_cast<size_t>(got) : 0;
}

bool GuardedMemory::read_all(const ReadPart* parts, unsigned count) noexcept {
  iovec local[64], remote[64];
  if (count > 64) return false;
  if (mem_ < 0) {
    size_t total = 0;
    for (unsigned i = 0; i < count; ++i) {
      local[i] = {parts[i].to, parts[i].size};
      remote[i] = {reinterpret_cast<void*>(parts[i].from), parts[i].size};
      total += parts[i].size;
    }
    const long got = syscall(SYS_process_vm_readv, pid_, local, count, remote, count, 0);
    if (got >= 0 || (errno != EPERM && errno != ENOSYS)) return got == static_cast<long>(total);
  }
  for (unsigned i = 0; i < count; ++i)
    if (read(parts[i].from, parts[i].to, parts[i].size) != parts[i].size) return false;
  return true;
}

void MemoryView::begin(GuardedMemory& memory) noexcept {
  memory_ = &memory;
  forget();
}

void MemoryView::forget() noexcept {
  next_ = 0;
  for (Window& w : windows_) w.size = 0;
  large_.size = 0;
}

void MemoryView::preload(uintptr_t from, size_t size) noexcept {
  if (size > sizeof large_bytes_) size = sizeof large_bytes_;
  large_ = {from, memory_->read(from, large_bytes_, size)};
}

const uint8_t* MemoryView::at(uintptr_t address, size_t size) noexcept {
  const auto inside = [&](const Window& w) {
    return address >= w.from && address - w.from <= w.size && w.size - (address - w.from) >= size;
  };
  if (inside(large_)) return large_bytes_ + (address - large_.from);
  const unsigned used = next_ < kWindows ? next_ : kWindows;
  for (unsigned i = 0; i < used; ++i)
    if (inside(windows_[i])) return bytes_[i] + (address - windows_[i].from);
  if (size > kWindow) {
    preload(address, size);
    return inside(large_) ? large_bytes_ : nullptr;
  }
  const unsigned i = next_++ % kWindows;
  windows_[i] = {address, memory_->read(address, bytes_[i], kWindow)};
  return inside(windows_[i]) ? bytes_[i] : nullptr;
}

}  // namespace gpustall::interpose
