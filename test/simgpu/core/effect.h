// What a piece of device work really does to memory. Applied at submission, in program order;
// applied again at each replay of a graph. Everything that is not here (the mathematics of kernels)
// does nothing.
#pragma once
#include <cstddef>
#include <cstdint>

namespace simgpu {

struct Effect {
  enum class Kind : uint8_t { None, Copy, Fill, HostCall } kind = Kind::None;
  uint8_t element_bytes = 1;  // Fill
  void* to = nullptr;
  const void* from = nullptr;
  // Rows of row_bytes each, pitch apart; one row when the copy or fill is plain.
  size_t row_bytes = 0, rows = 1, to_pitch = 0, from_pitch = 0;
  unsigned char value[16] = {};   // Fill: one element
  void (*call)(void*) = nullptr;  // HostCall
  void* user = nullptr;

  void apply() const;  // HostCall is not applied here: it belongs to the host-call thread
};

Effect copy_effect(void* to, const void* from, size_t bytes);
Effect fill_effect(void* to, const void* value, uint8_t element_bytes, size_t count);

}  // namespace simgpu
