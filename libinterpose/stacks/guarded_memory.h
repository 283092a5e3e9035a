// Reads of memory that may vanish or change under the reader: another thread's interpreter state,
// or a worker process's. By process_vm_readv, or by /proc/PID/mem where a seccomp filter refuses
// it; never by a load, never with a signal handler. Helper thread only.
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace gpustall::interpose {

struct ReadPart {
  uintptr_t from;
  void* to;
  size_t size;
};

class GuardedMemory {
 public:
  void open(pid_t pid) noexcept;  // 0: none
  void close() noexcept;

  // The bytes that could be read, from the front; 0 or less than `size` at an unmapped page.
  size_t read(uintptr_t from, void* to, size_t size) noexcept;
  // Many small parts in one call; true when all were read. At most 64.
  bool read_all(const ReadPart* parts, unsigned count) noexcept;
  // errno of the last refusal (EPERM: the kernel forbids it), 0: none.
  int refusal() const noexcept { return refusal_; }
  // The process has ended, or is about to: it has no memory any more.
  bool gone() const noexcept { return gone_; }

 private:
  pid_t pid_ = 0;
  int mem_ = -1;  // /proc/PID/mem, only when process_vm_readv is refused
  int refusal_ = 0;
  bool gone_ = false;

  bool open_mem() noexcept;
};

// One walk's view: windows of memory around what was asked for, so that neighbours cost no call.
// Pointers stay valid until the next call but one of `at`, or `begin`.
class MemoryView {
 public:
  void begin(GuardedMemory& memory) noexcept;
  void forget() noexcept;  // what was read; the next reads are fresh
  // A larger window, read at once; later `at` calls find it.
  void preload(uintptr_t from, size_t size) noexcept;
  const uint8_t* at(uintptr_t address, size_t size) noexcept;

 private:
  static constexpr size_t kWindow = 2048;
  static constexpr unsigned kWindows = 32;
  struct Window {
    uintptr_t from;
    size_t size;
  };
  GuardedMemory* memory_;
  unsigned next_;
  Window windows_[kWindows], large_;
  uint8_t bytes_[kWindows][kWindow];
  uint8_t large_bytes_[28 << 10];
};

}  // namespace gpustall::interpose
