// Which address is what: device memory, pinned host memory, managed memory, anything else =
// pageable. Device memory is host memory, reserved and zero: copies move real bytes, kernels
// compute nothing.
#pragma once
#include <cstddef>
#include <cstdint>

#include "export.h"

namespace simgpu {

// The values are CUpti_ActivityMemoryKind's.
enum class MemoryKind : uint8_t { Unknown = 0, Pageable = 1, Pinned = 2, Device = 3, Managed = 5 };

struct MemoryRange {
  uintptr_t base = 0;
  size_t bytes = 0;
  MemoryKind kind = MemoryKind::Pageable;
  uint32_t device = 0;  // ordinal of the owner, or current device when it was pinned
  bool ours = false;    // mapped here, as opposed to registered
  uint32_t host_flags = 0;
};

// Null when there is no room on the device (settings: memory_gb) or the host refuses.
GPUSTALL_SIM_API void* allocate_device(uint32_t device, size_t bytes, MemoryKind);
GPUSTALL_SIM_API void* allocate_pinned(uint32_t device, size_t bytes, uint32_t host_flags);
GPUSTALL_SIM_API bool register_pinned(uint32_t device, void* base, size_t bytes,
                                      uint32_t host_flags);
GPUSTALL_SIM_API bool release_memory(void* base,
                                     MemoryRange* was);  // false: not an allocation's start
// The range that holds the address; kind Pageable when none does.
GPUSTALL_SIM_API MemoryRange find_memory(const void* address);
GPUSTALL_SIM_API void device_memory_use(uint32_t device, size_t* free_bytes, size_t* total_bytes);

inline bool on_device(MemoryKind kind) {
  return kind == MemoryKind::Device || kind == MemoryKind::Managed;
}

}  // namespace simgpu
