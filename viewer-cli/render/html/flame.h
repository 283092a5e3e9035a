// Idle time by Python stack: calls downwards, as wide as the idle time below them; the last row of
// each stack is the cause, in its colour.
#pragma once
#include <string>
#include <vector>

#include "viewer-cli/render/html/palette.h"
#include "viewer-cli/render/places.h"

namespace gpustall::cli {

struct FlameBox {
  uint32_t parent = 0;  // in the list; the first box is the root, its own parent
  int series = -1;      // of a cause; -1: a call
  int64_t ns = 0;
  uint32_t depth = 0;
  double left = 0;  // share of the whole width, as the width is
  std::string text, detail;
};

// Boxes as drawn, parents first, those narrower than `narrowest` (share of the whole) left out;
// empty without an overview.
std::vector<FlameBox> flame_boxes(const collect::ModelDevice& device, const Palette& palette,
                                  const Places& places, double narrowest);
std::string flame_figure(const std::vector<FlameBox>& boxes, const Palette& palette);

}  // namespace gpustall::cli
