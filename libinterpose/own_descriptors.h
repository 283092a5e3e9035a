// A table of descriptors that only one thread of ours has. What it opens takes no number of the
// program's, not for a moment: one that closes 0 and opens it again gets 0. The program's closing
// of all descriptors does not reach it either, so that it may keep files open between readings.
// What such a thread must never do is call into CUDA or NVML, which use descriptors of the program,
// or be the thread that ends the process: handlers of exit would find nothing to write to.
#pragma once
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "libinterpose/sys.h"
#include "libinterpose/thread_state.h"

namespace gpustall::interpose {

// The calling thread, one of ours, leaves the program's table and takes nothing but `kept` along,
// under its number. False where the kernel or a sandbox refuses: nothing has changed then.
bool leave_descriptors(int kept) noexcept;

// A number for the calling thread's table, never used again in this process or its children; 0: the
// program's.
inline uint32_t own_table() noexcept {
  const ThreadState* t = tls_thread;
  return t == nullptr ? 0 : t->own_table;
}

// A small file of /proc or /sys that is read again and again. It stays open where the thread has a
// table of its own, which makes a reading some times cheaper, else it is opened for each. All zero:
// not open. What a forked child finds in its copy is not valid there and is left alone.
class KeptFile {
 public:
  // The file's start as text; its length, 0 on failure. `path` is what was meant at the first
  // reading, too; a file that went (a thread ended, its number is another one's) is opened anew.
  size_t read(const char* path, char* to, size_t capacity) noexcept {
    const uint32_t table = own_table();
    if (table == 0) return sys::read_file(path, to, capacity);
    for (bool fresh = table_ != table;; fresh = true) {
      if (fresh && (fd_ = sys::open(path, O_RDONLY)) < 0) return 0;
      table_ = table;
      const long n = sys::pread(fd_, to, capacity - 1, 0);
      if (n > 0) to[n] = '\0';
      if (n > 0) return static_cast<size_t>(n);
      close();
      if (fresh) return 0;
    }
  }
  void close() noexcept {
    if (table_ != 0 && table_ == own_table()) sys::close(fd_);
    table_ = 0;
  }

 private:
  int fd_;
  uint32_t table_;
};

}  // namespace gpustall::interpose
