// As the real driver reads it: a list of numbers; the first invalid or repeated one ends it. An
// empty value hides all.
#include "visible_devices.h"

#include <stdlib.h>

#include <algorithm>

#include "settings.h"

namespace simgpu {
namespace {

std::vector<uint32_t> all_devices() {
  std::vector<uint32_t> all(static_cast<size_t>(settings().devices));
  for (uint32_t i = 0; i < all.size(); ++i) all[i] = i;
  return all;
}

std::vector<uint32_t> parse() {
  const char* text = getenv("CUDA_VISIBLE_DEVICES");
  if (!text) return all_devices();
  std::vector<uint32_t> visible;
  while (*text) {
    char* end = nullptr;
    const long device = strtol(text, &end, 10);
    const bool known = end != text && device >= 0 && device < static_cast<long>(settings().devices);
    const uint32_t ordinal = static_cast<uint32_t>(device);
    if (!known || std::find(visible.begin(), visible.end(), ordinal) != visible.end()) break;
    visible.push_back(ordinal);
    text = *end == ',' ? end + 1 : end;
    if (text == end && *end) break;
  }
  return visible;
}

}  // namespace

const std::vector<uint32_t>& visible_devices() {
  static const std::vector<uint32_t>* const kVisible =
      new std::vector<uint32_t>(parse());  // used until the very exit
  return *kVisible;
}

}  // namespace simgpu
