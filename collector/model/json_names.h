// Words of the JSON contract that are no causes.
#pragma once
#include <optional>
#include <string_view>

#include "collector/recording.h"

namespace gpustall::collect {

constexpr std::string_view kBasisNames[] = {"recorded", "simulated", "kineto", "nsys"};

constexpr std::string_view basis_name(Basis basis) {
  return kBasisNames[static_cast<size_t>(basis)];
}
constexpr std::optional<Basis> basis_named(std::string_view name) {
  for (size_t i = 0; i < std::size(kBasisNames); ++i)
    if (kBasisNames[i] == name) return static_cast<Basis>(i);
  return std::nullopt;
}

}  // namespace gpustall::collect
