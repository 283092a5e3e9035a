// Allocation calls with their host cost: cudaMalloc takes a while, cudaFree waits for the device,
// page-locking is slow.
#pragma once
#include <cstddef>

#include "export.h"
#include "memory_map.h"

namespace simgpu {

struct Stream;

GPUSTALL_SIM_API int allocate(void** out, size_t bytes, MemoryKind);
GPUSTALL_SIM_API int release(void* base);  // waits for the device
GPUSTALL_SIM_API int allocate_in_stream_order(void** out, size_t bytes, Stream&,
                                              const void* stream_handle);
GPUSTALL_SIM_API int release_in_stream_order(void* base, Stream&, const void* stream_handle);
GPUSTALL_SIM_API int allocate_host(void** out, size_t bytes, unsigned flags);
GPUSTALL_SIM_API int release_host(void* base);
GPUSTALL_SIM_API int register_host(void* base, size_t bytes, unsigned flags);
GPUSTALL_SIM_API int unregister_host(void* base);

}  // namespace simgpu
