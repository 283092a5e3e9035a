// The causes of causes.def as an enumeration, with their texts.
#pragma once
#include <cstdint>
#include <string_view>

namespace gpustall::collect {

enum class CauseFamily : uint8_t {
  Sync,
  Data,
  Copy,
  Alloc,
  Launch,
  Host,
  Device,
  Cold,
  Tool,
  Unknown
};

enum class Cause : uint8_t {
#define GPUSTALL_CAUSE(name, id, family, title, meaning, remedy) name,
#include "collector/causes.def"
#undef GPUSTALL_CAUSE
};

struct CauseText {
  std::string_view id, title, meaning, remedy;
  CauseFamily family;
};

inline constexpr CauseText kCauses[] = {
#define GPUSTALL_CAUSE(name, id, family, title, meaning, remedy) \
  {id, title, meaning, remedy, CauseFamily::family},
#include "collector/causes.def"
#undef GPUSTALL_CAUSE
};
inline constexpr unsigned kCauseCount = sizeof(kCauses) / sizeof(kCauses[0]);

constexpr const CauseText& text_of(Cause cause) {
  return kCauses[static_cast<unsigned>(cause)];
}
constexpr CauseFamily family_of(Cause cause) {
  return text_of(cause).family;
}
// Sets of causes are 64 bits, by enumerator.
static_assert(kCauseCount <= 64);
constexpr uint64_t bit_of(Cause cause) {
  return uint64_t{1} << static_cast<unsigned>(cause);
}
// Whether a cause is the one of that id ("sync.item") or of that family ("sync").
constexpr bool belongs_to(std::string_view id, std::string_view name) {
  return id == name || (id.starts_with(name) && id.substr(name.size()).starts_with("."));
}

}  // namespace gpustall::collect
