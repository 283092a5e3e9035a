// See effect.h.
#include "effect.h"

#include <string.h>
#include <sys/mman.h>

namespace simgpu {
namespace {

constexpr size_t kGiveBackBytes =
    1 << 20;  // zeroing more than this returns the pages to the system instead

void fill_row(unsigned char* to, const Effect& effect) {
  if (effect.element_bytes == 1) {
    memset(to, effect.value[0], effect.row_bytes);
    return;
  }
  for (size_t at = 0; at + effect.element_bytes <= effect.row_bytes; at += effect.element_bytes)
    memcpy(to + at, effect.value, effect.element_bytes);
}

// A large zero fill of device memory that was mostly never touched: fresh pages are zero and cost
// nothing.
bool zero_by_fresh_pages(unsigned char* to, const Effect& effect) {
  if (effect.element_bytes != 1 || effect.value[0] != 0 || effect.row_bytes < kGiveBackBytes)
    return false;
  const uintptr_t first = (reinterpret_cast<uintptr_t>(to) + 4095) & ~uintptr_t{4095};
  const uintptr_t last = (reinterpret_cast<uintptr_t>(to) + effect.row_bytes) & ~uintptr_t{4095};
  if (madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED) != 0) return false;
  memset(to, 0, first - reinterpret_cast<uintptr_t>(to));
  memset(reinterpret_cast<void*>(last), 0,
         reinterpret_cast<uintptr_t>(to) + effect.row_bytes - last);
  return true;
}

}  // namespace

void Effect::apply() const {
  unsigned char* out = static_cast<unsigned char*>(to);
  const unsigned char* in = static_cast<const unsigned char*>(from);
  for (size_t row = 0; row < rows; ++row) {
    if (kind == Kind::Copy)
      memmove(out, in, row_bytes);
    else if (kind == Kind::Fill && !zero_by_fresh_pages(out, *this))
      fill_row(out, *this);
    out += to_pitch;
    in += from_pitch;
  }
}

Effect copy_effect(void* to, const void* from, size_t bytes) {
  Effect effect;
  effect.kind = Effect::Kind::Copy;
  effect.to = to;
  effect.from = from;
  effect.row_bytes = bytes;
  return effect;
}

Effect fill_effect(void* to, const void* value, uint8_t element_bytes, size_t count) {
  Effect effect;
  effect.kind = Effect::Kind::Fill;
  effect.to = to;
  effect.element_bytes = element_bytes;
  effect.row_bytes = count * element_bytes;
  memcpy(effect.value, value, element_bytes);
  return effect;
}

}  // namespace simgpu
