// The table of loaded modules: one Module record per executable segment, as the kernel maps it
// (address, size, offset in the file), so that a program counter finds its file and offset.
#include <link.h>

#include <cstdio>
#include <cstring>

#include "libinterpose/dictionary.h"
#include "libinterpose/fork.h"
#include "libinterpose/info_record.h"
#include "libinterpose/process.h"
#include "libinterpose/recorder.h"
#include "libinterpose/start.h"
#include "libinterpose/sys.h"

namespace gpustall::interpose {

namespace {

constexpr unsigned kBatch = 64;

struct Segment {
  uint64_t base, size, file_offset;
  char path[512];
  char build_id[48];
};

// One pass under the loader's lock copies a batch; records are written after it is released.
struct Pass {
  unsigned skip = 0;  // segments of earlier batches
  unsigned seen = 0, count = 0;
  Segment* batch = nullptr;
  unsigned long long adds = 0, subs = 0;
};

void copy_build_id(const dl_phdr_info& info, const ElfW(Phdr) & note, char* to) noexcept {
  const auto* at = reinterpret_cast<const unsigned char*>(info.dlpi_addr + note.p_vaddr);
  const unsigned char* end = at + note.p_memsz;
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    ElfW(Nhdr) header;
    std::memcpy(&header, at, sizeof header);
    const unsigned char* name = at + sizeof header;
    const unsigned char* id = name + ((header.n_namesz + 3) & ~3u);
    if (id + header.n_descsz > end) return;
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 &&
        std::memcmp(name, "GNU", 4) == 0) {
      for (unsigned i = 0; i < header.n_descsz && i < 20; ++i)
        std::snprintf(to + 2 * i, 3, "%02x", id[i]);
      return;
    }
    at = id + ((header.n_descsz + 3) & ~3u);
  }
}

int copy_segments(dl_phdr_info* info, size_t, void* to) noexcept {
  auto* pass = static_cast<Pass*>(to);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& p = info->dlpi_phdr[i];
    if (p.p_type != PT_LOAD || (p.p_flags & PF_X) == 0 || pass->seen++ < pass->skip) continue;
    if (pass->count == kBatch) return 1;
    Segment& s = pass->batch[pass->count++];
    std::memset(&s, 0, sizeof s);
    const uint64_t in_page = p.p_vaddr & 4095;
    s.base = info->dlpi_addr + p.p_vaddr - in_page;
    s.size = p.p_memsz + in_page;
    s.file_offset = p.p_offset - in_page;
    if (info->dlpi_name != nullptr) std::strncpy(s.path, info->dlpi_name, sizeof s.path - 1);
    for (int j = 0; j < info->dlpi_phnum; ++j)
      if (info->dlpi_phdr[j].p_type == PT_NOTE && s.build_id[0] == '\0')
        copy_build_id(*info, info->dlpi_phdr[j], s.build_id);
  }
  return 0;
}

int read_counters(dl_phdr_info* info, size_t, void* to) noexcept {
  auto* pass = static_cast<Pass*>(to);
  pass->adds = info->dlpi_adds;
  pass->subs = info->dlpi_subs;
  return 1;
}

// torch/version.py lies beside torch/lib.
void write_torch_version(HookGuard& guard, const char* path) noexcept {
  const char* tail = std::strstr(path, "/torch/lib/libtorch_cpu.so");
  char file[600], text[1024];
  if (tail == nullptr) return;
  std::snprintf(file, sizeof file, "%.*s/torch/version.py", static_cast<int>(tail - path), path);
  if (sys::read_file(file, text, sizeof text) == 0) return;
  const char* at = std::strstr(text, "__version__ = '");
  const char* end = at == nullptr ? nullptr : std::strchr(at += 15, '\'');
  if (end == nullptr) return;
  put_info(guard, "torch", {at, static_cast<size_t>(end - at)});
}

void write_segment(HookGuard& guard, const Segment& s) noexcept {
  char own[512];
  const char* path = s.path;
  if (*path == '\0') {  // the program itself
    const ssize_t n = ::readlink("/proc/self/exe", own, sizeof own - 1);
    own[n > 0 ? n : 0] = '\0';
    path = own;
  }
  bool added = false;
  const uint32_t id = intern_module(guard, s.base, s.size, path, added);
  if (!added) return;
  const uint32_t text = intern_string(guard, path), build_id = intern_string(guard, s.build_id);
  emit_shared(guard, trace::Module{id, s.base, s.size, s.file_offset, text, build_id});
  write_torch_version(guard, path);
}

void write_new_modules(HookGuard& guard) noexcept {
  static Segment* batch = nullptr;  // 36 KiB, once; used by the helper or the starting thread
  if (batch == nullptr) batch = static_cast<Segment*>(map_wiped(kBatch * sizeof(Segment)));
  Pass pass;
  pass.batch = batch;
  {
    LoaderUse use;
    if (!use.allowed() || batch == nullptr) return;
    ::dl_iterate_phdr(read_counters, &pass);
  }
  if (g_process->modules_adds == pass.adds && g_process->modules_subs == pass.subs) return;
  for (;;) {
    {
      LoaderUse use;
      if (!use.allowed()) return;  // again at the next round
      ::dl_iterate_phdr(copy_segments, &pass);
    }
    for (unsigned i = 0; i < pass.count; ++i) write_segment(guard, batch[i]);
    if (pass.count < kBatch) break;
    pass.skip += kBatch;
    pass.seen = pass.count = 0;
  }
  g_process->modules_adds = pass.adds;
  g_process->modules_subs = pass.subs;
}

}  // namespace

void write_modules(HookGuard& guard) noexcept {
  if (g_process->modules_busy.exchange(true, std::memory_order_acquire)) return;
  write_new_modules(guard);
  g_process->modules_busy.store(false, std::memory_order_release);
}

}  // namespace gpustall::interpose
