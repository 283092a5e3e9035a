// torch registers more than 100,000 kernels while it loads: an open-addressed table, names copied
// on first launch only.
#include "kernel_table.h"

#include <string.h>

#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "futex_lock.h"
#include "kernel_traits.h"

namespace simgpu {
namespace {

struct Slot {
  const void* stub;
  Kernel* kernel;
};

struct Table {
  FutexLock lock;
  std::vector<Slot> slots = std::vector<Slot>(1 << 12);
  size_t used = 0;
  std::deque<Kernel> kernels;  // stable addresses
  std::unordered_map<std::string, Kernel*> by_name;
};

Table& table() {
  static Table* const kTable = new Table;  // never freed: launches happen until the very exit
  return *kTable;
}

size_t hash_of(const void* stub) {
  return (reinterpret_cast<uintptr_t>(stub) >> 4) * 0x9E3779B97F4A7C15ULL >> 20;
}

Slot& slot_for(std::vector<Slot>& slots, const void* stub) {
  size_t at = hash_of(stub);
  while (slots[at & (slots.size() - 1)].stub && slots[at & (slots.size() - 1)].stub != stub) ++at;
  return slots[at & (slots.size() - 1)];
}

void grow(Table& all) {
  std::vector<Slot> larger(all.slots.size() * 2);
  for (const Slot& slot : all.slots)
    if (slot.stub) slot_for(larger, slot.stub) = slot;
  all.slots.swap(larger);
}

}  // namespace

void register_kernel(const void* host_stub, const char* name) {
  Table& all = table();
  LockGuard guard(all.lock);
  Slot& slot = slot_for(all.slots, host_stub);
  if (!slot.stub) {
    slot = {host_stub, &all.kernels.emplace_back()};
    ++all.used;
  }
  slot.kernel->name.store(name, std::memory_order_relaxed);
  if (all.used * 2 > all.slots.size()) grow(all);
}

Kernel* find_kernel(const void* host_stub) {
  Table& all = table();
  LockGuard guard(all.lock);
  return host_stub ? slot_for(all.slots, host_stub).kernel : nullptr;
}

Kernel* named_kernel(const char* name) {
  Table& all = table();
  LockGuard guard(all.lock);
  const auto [entry, added] = all.by_name.try_emplace(name, nullptr);
  if (added) {
    entry->second = &all.kernels.emplace_back();
    // The table's own copy of the name: the caller's may be gone before the first launch.
    entry->second->name.store(entry->first.c_str(), std::memory_order_relaxed);
  }
  return entry->second;
}

void study(Kernel& kernel) {
  if (kernel.studied.load(std::memory_order_acquire)) return;
  Table& all = table();
  LockGuard guard(all.lock);
  if (kernel.studied.load(std::memory_order_relaxed)) return;
  const char* name =
      strdup(kernel.name.load(std::memory_order_relaxed));  // lives as long as the process
  kernel.name.store(name, std::memory_order_relaxed);
  read_traits(kernel, name);
  kernel.studied.store(true, std::memory_order_release);
}

}  // namespace simgpu
