// What a comparison does not know: one sentence each.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "collector/compare/comparison.h"

namespace gpustall::collect {

// Whether both sides were recorded in the same way on the same kind of GPU.
bool is_comparable(const Comparison& comparison);

// `comparison`: everything but the cautions is filled in.
std::vector<std::string> cautions_for(std::span<const Model> base, std::span<const Model> next,
                                      const Comparison& comparison);

}  // namespace gpustall::collect
