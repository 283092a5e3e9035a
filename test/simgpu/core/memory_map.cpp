// The ordered table of ranges; one lock, a handful of nanoseconds per lookup.
#include "memory_map.h"

#include <sys/mman.h>

#include <map>

#include "futex_lock.h"
#include "settings.h"

namespace simgpu {
namespace {

constexpr size_t kHugePage = 2 << 20;
constexpr int kMaxDevices = 8;

struct Table {
  FutexLock lock;
  std::map<uintptr_t, MemoryRange> ranges;
  size_t used[kMaxDevices] = {};
};

Table& table() {
  static Table* const kTable =
      new Table;  // never freed: programs free memory in static destructors
  return *kTable;
}

size_t total_bytes_of_device() {
  return static_cast<size_t>(settings().memory_gb * (1ULL << 30));
}

size_t rounded(size_t bytes) {
  return (bytes + 511) / 512 * 512;
}

void* map_zeroed(size_t bytes) {
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  // First touches happen inside modelled copies; with small pages the faults would outlast the
  // model.
  if (bytes >= 4 * kHugePage) madvise(base, bytes, MADV_HUGEPAGE);
  return base;
}

void* add_mapping(MemoryRange range) {
  range.base = reinterpret_cast<uintptr_t>(map_zeroed(range.bytes));
  if (!range.base) return nullptr;
  Table& all = table();
  LockGuard guard(all.lock);
  all.ranges[range.base] = range;
  return reinterpret_cast<void*>(range.base);
}

bool take_room(uint32_t device, size_t bytes) {
  Table& all = table();
  LockGuard guard(all.lock);
  if (all.used[device] + bytes > total_bytes_of_device()) return false;
  all.used[device] += bytes;
  return true;
}

void give_room(uint32_t device, size_t bytes) {
  Table& all = table();
  LockGuard guard(all.lock);
  all.used[device] -= bytes;
}

}  // namespace

void* allocate_device(uint32_t device, size_t bytes, MemoryKind kind) {
  bytes = rounded(bytes ? bytes : 1);
  if (!take_room(device, bytes)) return nullptr;
  void* base = add_mapping({0, bytes, kind, device, true, 0});
  if (!base) give_room(device, bytes);
  return base;
}

void* allocate_pinned(uint32_t device, size_t bytes, uint32_t host_flags) {
  return add_mapping({0, rounded(bytes ? bytes : 1), MemoryKind::Pinned, device, true, host_flags});
}

bool register_pinned(uint32_t device, void* base, size_t bytes, uint32_t host_flags) {
  if (!base || bytes == 0) return false;
  Table& all = table();
  LockGuard guard(all.lock);
  const uintptr_t start = reinterpret_cast<uintptr_t>(base);
  return all.ranges
      .try_emplace(start, MemoryRange{start, bytes, MemoryKind::Pinned, device, false, host_flags})
      .second;
}

bool release_memory(void* base, MemoryRange* was) {
  Table& all = table();
  {
    LockGuard guard(all.lock);
    const auto found = all.ranges.find(reinterpret_cast<uintptr_t>(base));
    if (found == all.ranges.end()) return false;
    *was = found->second;
    all.ranges.erase(found);
    if (on_device(was->kind)) all.used[was->device] -= was->bytes;
  }
  if (was->ours) munmap(base, was->bytes);
  return true;
}

MemoryRange find_memory(const void* address) {
  Table& all = table();
  LockGuard guard(all.lock);
  const uintptr_t at = reinterpret_cast<uintptr_t>(address);
  auto after = all.ranges.upper_bound(at);
  if (after == all.ranges.begin()) return {};
  const MemoryRange& range = std::prev(after)->second;
  return at - range.base < range.bytes ? range : MemoryRange{};
}

void device_memory_use(uint32_t device, size_t* free_bytes, size_t* total_bytes) {
  Table& all = table();
  LockGuard guard(all.lock);
  *total_bytes = total_bytes_of_device();
  *free_bytes = *total_bytes - all.used[device];
}

}  // namespace simgpu
