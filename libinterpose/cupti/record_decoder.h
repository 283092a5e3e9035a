// CUPTI's activity records -> ours, through the prefixes of record_prefix.h: about 216 bytes
// become 20.
#pragma once
#include <cstddef>
#include <cstdint>

#include "libinterpose/hook_guard.h"

namespace gpustall::interpose::cupti {

// Writes the records of a buffer into the calling thread's device stream. Records with impossible
// times and kinds that we do not know are counted as losses.
void decode_buffer(HookGuard&, uint8_t* buffer, size_t valid) noexcept;

}  // namespace gpustall::interpose::cupti
