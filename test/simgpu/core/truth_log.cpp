// Lines are formatted by hand (snprintf would cost more than the launch that is being logged).
// The tail of the mapping is filled with newlines: a log that was cut short is still plain text.
#include "truth_log.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <new>
#include <string>

#include "futex_lock.h"
#include "notice.h"
#include "raw_syscall.h"
#include "settings.h"

namespace simgpu {
namespace {

constexpr size_t kWindow = 1 << 20;  // mapped at a time

struct Log {
  FutexLock lock;
  enum class State : uint8_t { Unopened, Open, Closed } state = State::Unopened;
  int fd = -1;
  char* window = nullptr;
  size_t window_offset = 0;  // in the file
  size_t used = 0;           // in the window
};
Log g_log;

bool map_window(Log& log, size_t offset) {
  if (log.window) munmap(log.window, kWindow);
  log.window = nullptr;
  if (raw_syscall(SYS_ftruncate, log.fd, static_cast<long>(offset + kWindow)) < 0) return false;
  void* base = mmap(nullptr, kWindow, PROT_READ | PROT_WRITE, MAP_SHARED, log.fd,
                    static_cast<off_t>(offset));
  if (base == MAP_FAILED) return false;
  log.window = static_cast<char*>(base);
  log.window_offset = offset;
  memset(log.window, '\n', kWindow);
  return true;
}

std::string path_of_log() {
  std::string path = settings().log;
  const size_t at = path.find("%p");
  if (at != path.npos) path.replace(at, 2, std::to_string(raw_syscall(SYS_getpid)));
  return path;
}

bool open_log(Log& log) {
  if (log.state != Log::State::Unopened) return log.state == Log::State::Open;
  log.state = Log::State::Closed;
  if (settings().log.empty()) return false;
  const std::string path = path_of_log();
  log.fd = static_cast<int>(
      raw_syscall(SYS_open, raw_arg(path.c_str()), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  // Appends to what is there, from the start of its last window.
  const long size = log.fd < 0 ? -1 : raw_syscall(SYS_lseek, log.fd, 0, SEEK_END);
  const size_t base = size < 0 ? 0 : (static_cast<size_t>(size) + 4095) / 4096 * 4096;
  if (size < 0 ||
      (raw_syscall(SYS_ftruncate, log.fd, static_cast<long>(base)), !map_window(log, base))) {
    notice("cannot write the log %s", path.c_str());
    return false;
  }
  log.used = 0;
  log.state = Log::State::Open;
  return true;
}

class Line {
 public:
  Line& text(const char* piece) {
    const size_t length = strlen(piece);
    const size_t fits = length < sizeof buffer_ - used_ - 2 ? length : sizeof buffer_ - used_ - 2;
    memcpy(buffer_ + used_, piece, fits);
    used_ += fits;
    return *this;
  }
  Line& field(const char* name, int64_t value) {
    text(name);
    char digits[24];
    size_t at = sizeof digits;
    uint64_t rest = value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    do digits[--at] = static_cast<char>('0' + rest % 10);
    while (rest /= 10);
    if (value < 0) digits[--at] = '-';
    if (used_ + sizeof digits < sizeof buffer_) {
      memcpy(buffer_ + used_, digits + at, sizeof digits - at);
      used_ += sizeof digits - at;
    }
    return *this;
  }
  void write() {
    buffer_[used_++] = '\n';
    LockGuard guard(g_log.lock);
    if (!open_log(g_log)) return;
    size_t done = 0;
    while (done < used_) {
      if (g_log.used == kWindow) {
        if (!map_window(g_log, g_log.window_offset + kWindow)) {
          g_log.state = Log::State::Closed;
          return;
        }
        g_log.used = 0;
      }
      const size_t room = kWindow - g_log.used;
      const size_t part = used_ - done < room ? used_ - done : room;
      memcpy(g_log.window + g_log.used, buffer_ + done, part);
      g_log.used += part;
      done += part;
    }
  }

 private:
  char buffer_[8192];
  size_t used_ = 0;
};

const char* const kKindNames[] = {"kernel", "memcpy", "memset", "graph", "sync", "overhead"};

void kernel_fields(Line& line, const Activity& a) {
  const int64_t grid = static_cast<int64_t>(a.grid[0]) * a.grid[1] * a.grid[2];
  const int64_t block = static_cast<int64_t>(a.block[0]) * a.block[1] * a.block[2];
  line.field(" blocks=", grid).field(" threads=", block).text(" name=").text(a.name ? a.name : "?");
}

// At exit the file gets its true length. Later work of other destructors is not logged.
__attribute__((destructor)) void close_log() {
  LockGuard guard(g_log.lock);
  if (g_log.state == Log::State::Open) {
    raw_syscall(SYS_ftruncate, g_log.fd, static_cast<long>(g_log.window_offset + g_log.used));
  }
  g_log.state = Log::State::Closed;
}

}  // namespace

void log_activity(const Activity& a) {
  if (settings().log.empty() ||
      __atomic_load_n(&g_log.state, __ATOMIC_RELAXED) == Log::State::Closed)
    return;
  Line line;
  if (a.graph_node) line.text("node kind=");
  line.text(kKindNames[static_cast<size_t>(a.kind)]);
  line.field(" dev=", a.device).field(" ctx=", a.context).field(" stream=", a.stream);
  line.field(" corr=", a.correlation).field(" start=", a.start_ns).field(" end=", a.end_ns);
  if (a.graph_id) line.field(" graph=", a.graph_id);
  if (a.graph_node) line.field(" node=", static_cast<int64_t>(a.graph_node_id));
  switch (a.kind) {
    case ActivityKind::Kernel:
      kernel_fields(line, a);
      break;
    case ActivityKind::Memcpy:
      line.field(" bytes=", static_cast<int64_t>(a.bytes)).field(" copy=", a.copy_kind);
      line.field(" src=", a.src_kind).field(" dst=", a.dst_kind);
      break;
    case ActivityKind::Memset:
      line.field(" bytes=", static_cast<int64_t>(a.bytes));
      break;
    case ActivityKind::Sync:
      line.field(" type=", a.sync_type).field(" event=", a.event_id);
      break;
    case ActivityKind::Overhead:
      line.field(" type=", a.overhead_kind >> 16);
      break;
    case ActivityKind::GraphLaunch:
      break;
  }
  line.write();
}

void drop_log_in_child() {
  // The mapping is shared with the parent: forget it, never write to it.
  // Another thread may have held the lock at the fork; it does not exist here.
  new (&g_log.lock) FutexLock;
  g_log.state = Log::State::Closed;
}

}  // namespace simgpu
