#include "collector/import/nsys_words.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace gpustall::collect {
namespace {

using trace::WaitId;

struct Named {
  std::string_view function;
  WaitId wait;
};
// Beside those of waits.def. What opens or reads a file waits for the same disk as read() does;
// mutexes and joins wait for another thread as a semaphore does.
constexpr Named kNearest[] = {
    {"pread", WaitId::Pread},
    {"preadv", WaitId::Readv},
    {"fread", WaitId::Read},
    {"fgets", WaitId::Read},
    {"fgetc", WaitId::Read},
    {"getline", WaitId::Read},
    {"getdelim", WaitId::Read},
    {"fscanf", WaitId::Read},
    {"open", WaitId::Read},
    {"open64", WaitId::Read},
    {"openat", WaitId::Read},
    {"fopen", WaitId::Read},
    {"fopen64", WaitId::Read},
    {"opendir", WaitId::Read},
    {"connect", WaitId::Read},
    {"accept", WaitId::Read},
    {"accept4", WaitId::Read},
    {"recvmmsg", WaitId::Recvmsg},
    {"pselect", WaitId::Select},
    {"epoll_pwait", WaitId::EpollWait},
    {"pthread_mutex_lock", WaitId::SemWait},
    {"pthread_mutex_timedlock", WaitId::SemTimedwait},
    {"pthread_rwlock_rdlock", WaitId::SemWait},
    {"pthread_rwlock_wrlock", WaitId::SemWait},
    {"pthread_rwlock_timedrdlock", WaitId::SemTimedwait},
    {"pthread_rwlock_timedwrlock", WaitId::SemTimedwait},
    {"pthread_barrier_wait", WaitId::SemWait},
    {"pthread_join", WaitId::SemWait},
    {"pthread_timedjoin_np", WaitId::SemTimedwait},
    {"semop", WaitId::SemWait},
    {"semtimedop", WaitId::SemTimedwait},
    {"sleep", WaitId::Nanosleep},
    {"pwrite", WaitId::Pwrite},
    {"pwritev", WaitId::Writev},
    {"fwrite", WaitId::Write},
    {"fputs", WaitId::Write},
    {"puts", WaitId::Write},
    {"fflush", WaitId::Write},
    {"fclose", WaitId::Write},
    {"sendto", WaitId::Send},
    {"sendmmsg", WaitId::Sendmsg},
    {"sync", WaitId::Fsync},
    {"syncfs", WaitId::Fsync},
    {"msync", WaitId::Fsync},
    {"sync_file_range", WaitId::Fsync},
    {"wait", WaitId::Waitpid},
    {"waitid", WaitId::Waitpid},
    {"wait3", WaitId::Wait4},
    {"vfork", WaitId::Fork},
    {"posix_spawnp", WaitId::Spawn},
    {"system", WaitId::Waitpid},
    {"popen", WaitId::Spawn},
    {"pclose", WaitId::Waitpid},
};

std::unordered_map<std::string_view, WaitId> wait_names() {
  std::unordered_map<std::string_view, WaitId> names;
#define GPUSTALL_WAIT(id, enumerator, text, cls) names.emplace(text, WaitId::enumerator);
#include "libinterpose/trace/waits.def"
#undef GPUSTALL_WAIT
  for (const Named& named : kNearest) names.emplace(named.function, named.wait);
  return names;
}

// Bytes of the UTF-8 sequence at the front; 0: it is none.
size_t sequence(std::string_view s) {
  const auto byte = [s](size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char lead = byte(0);
  const size_t size = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (size == 0 || lead > 0xf4 || s.size() < size) return 0;
  for (size_t i = 1; i < size; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  if (lead == 0xe0 && byte(1) < 0xa0) return 0;   // overlong
  if (lead == 0xed && byte(1) >= 0xa0) return 0;  // surrogates
  if (lead == 0xf0 && byte(1) < 0x90) return 0;   // overlong
  if (lead == 0xf4 && byte(1) >= 0x90) return 0;  // beyond Unicode
  return size;
}

}  // namespace

std::string printable_text(std::string_view raw) {
  std::string text;
  text.reserve(raw.size());
  while (!raw.empty()) {
    const size_t size = sequence(raw);
    const auto lead = static_cast<unsigned char>(raw.front());
    if (size == 0)
      text += '?';
    else if (lead < 0x20 || lead == 0x7f)
      text += ' ';
    else
      text += raw.substr(0, size);
    raw.remove_prefix(std::max<size_t>(size, 1));
  }
  return text;
}

std::string without_directories(std::string_view sentence) {
  std::string out;
  while (!sentence.empty()) {
    const size_t end = std::min(sentence.find_first_of(" \t\n,;\"'()"), sentence.size());
    std::string_view word = sentence.substr(0, end);
    const size_t last = word.find_last_of("/\\");
    if (last != std::string_view::npos) word.remove_prefix(last + 1);
    out += word;
    if (end < sentence.size()) out += sentence[end];
    sentence.remove_prefix(std::min(end + 1, sentence.size()));
  }
  return out;
}

std::optional<WaitId> wait_of(std::string_view function) {
  static const auto kNames = wait_names();
  if (const auto found = kNames.find(function); found != kNames.end()) return found->second;
  // "__read", "__poll_chk": the same function under a name of glibc's own.
  if (function.starts_with("__")) {
    function.remove_prefix(2);
    if (function.ends_with("_chk")) function.remove_suffix(4);
    return wait_of(function);
  }
  return {};
}

uint8_t copy_kind_of(int64_t operation) {
  constexpr std::array<uint8_t, 14> kKinds = {
      kCopyUnknown,    kHostToDevice,   kDeviceToHost,
      kHostToDevice,  // array
      kDeviceToHost,  // array
      kDeviceToDevice, kDeviceToDevice, kDeviceToDevice, kDeviceToDevice,
      kCopyUnknown,                                                       // host to host
      kPeerToPeer,     kHostToDevice,   kDeviceToHost,   kDeviceToDevice  // unified memory
  };
  if (operation < 0 || operation >= static_cast<int64_t>(kKinds.size())) return kCopyUnknown;
  return kKinds[static_cast<size_t>(operation)];
}

// nsys' list has no Unknown in front, as CUPTI's has: one less each.
uint8_t memory_kind_of(int64_t kind) {
  return kind < 0 || kind > 6 ? uint8_t{kMemoryUnknown} : static_cast<uint8_t>(kind + 1);
}

OverheadKind overhead_of(int64_t type) {
  constexpr std::array<OverheadKind, 9> kKinds = {
      OverheadKind::Unknown,     OverheadKind::Unknown,          OverheadKind::DriverCompiler,
      OverheadKind::BufferFlush, OverheadKind::Instrumentation,  OverheadKind::Resource,
      OverheadKind::ModuleLoad,  OverheadKind::LazyFunctionLoad, OverheadKind::CommandBufferFull};
  if (type < 0 || type >= static_cast<int64_t>(kKinds.size())) return OverheadKind::Unknown;
  return kKinds[static_cast<size_t>(type)];
}

OverheadKind overhead_of(std::string_view name) {
  const auto says = [name](std::string_view word) {
    return name.find(word) != std::string_view::npos;
  };
  if (says("uffer flush") || says("data flush")) return OverheadKind::BufferFlush;
  if (says("Resource")) return OverheadKind::Resource;
  if (says("odule loading")) return OverheadKind::ModuleLoad;
  if (says("azy function loading")) return OverheadKind::LazyFunctionLoad;
  if (says("JIT compiler")) return OverheadKind::DriverCompiler;
  if (says("ommand buffer full")) return OverheadKind::CommandBufferFull;
  if (says("Unknown")) return OverheadKind::Unknown;
  // The rest is the profiler setting itself up: "dlopen(libcupti.so)", "TLS allocation".
  return OverheadKind::Instrumentation;
}

RangeName range_name(std::string_view text) {
  RangeName out{text};
  bool of_torch = false;
  for (std::string_view field : {", seq = ", ", op_id = ", ", sizes = ", ", input_op_ids = "}) {
    const size_t at = out.name.find(field);
    if (at == std::string_view::npos) continue;
    of_torch = true;
    out.name = out.name.substr(0, at);
  }
  if (out.name.starts_with("ProfilerStep#") || out.name.starts_with("enumerate(DataLoader)#") ||
      out.name.starts_with("Optimizer."))
    out.kind = RangeKind::UserAnnotation;
  else if (of_torch || out.name.starts_with("aten::"))
    out.kind = RangeKind::CpuOp;
  return out;
}

}  // namespace gpustall::collect
