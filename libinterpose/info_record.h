// One fact about the process or its machine, as text.
#pragma once
#include <string_view>

#include "libinterpose/dictionary.h"
#include "libinterpose/recorder.h"

namespace gpustall::interpose {

// Nothing where there is no value.
inline void put_info(HookGuard& guard, std::string_view key, std::string_view value) noexcept {
  if (value.empty()) return;
  // Named first: interning writes to this thread's stream, never under the shared lock.
  const uint32_t k = intern_string(guard, key), v = intern_string(guard, value);
  emit_shared(guard, trace::Info{k, v});
}

}  // namespace gpustall::interpose
