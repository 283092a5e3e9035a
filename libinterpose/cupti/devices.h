// Device records: name, UUID, size of each device that showed up in the activities, asked from the
// driver that the program already has, on the helper thread only (a CUDA call inside a CUPTI
// callback may hang).
#pragma once
#include <cstddef>
#include <cstdint>

#include "libinterpose/hook_guard.h"

namespace gpustall::interpose::cupti {

// From any thread: this ordinal is in use.
void note_device(uint32_t ordinal) noexcept;
// On the helper thread: writes the records of the devices noted since the last call.
void describe_devices(HookGuard&) noexcept;
// A bit per ordinal that was noted, below 64.
uint64_t devices_in_use() noexcept;
// "domain:bus:device.0", as NVML takes it; false: the driver does not tell.
bool pci_address(uint32_t ordinal, char* to, size_t capacity) noexcept;
// Whether the CUDA runtime of this process is the simulated device.
bool runtime_is_simulated() noexcept;
// A file beside the simulated runtime.
bool stand_in_path(char* to, size_t capacity, const char* file) noexcept;
// The driver's CUDA version (13000), 0 when it is unknown.
uint32_t driver_version() noexcept;

}  // namespace gpustall::interpose::cupti
