// The activity buffers that CUPTI fills: 2 MiB each, zeroed, from one reservation. Lock-free, any
// thread, never null (a null buffer crashed CUPTI before 12.9), never malloc (the program's
// allocator may itself call CUDA, which hangs inside a CUPTI callback).
#pragma once
#include <cstddef>
#include <cstdint>

namespace gpustall::interpose::cupti {

inline constexpr size_t kBufferBytes = size_t{2} << 20;

// A zeroed buffer; beyond 64 in flight each one is mapped for itself.
uint8_t* take_buffer() noexcept;
// Whether the buffer came from take_buffer: the program's own buffers must go back to the program.
bool is_our_buffer(const uint8_t* buffer) noexcept;
// Zeroes it for its next use.
void return_buffer(uint8_t* buffer) noexcept;
// Buffers that CUPTI still holds.
unsigned buffers_in_flight() noexcept;

}  // namespace gpustall::interpose::cupti
