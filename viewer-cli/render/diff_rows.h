// The table of a comparison as it is printed: rounded together, so that the printed rows add up to
// the printed totals on both sides and in the change.
#pragma once
#include <string>
#include <vector>

#include "collector/compare/comparison.h"
#include "viewer-cli/render/diff.h"

namespace gpustall::cli {

struct DiffRow {
  enum class Kind { Cause, Total } kind = Kind::Cause;
  std::string base, next, change, margin;  // numbers in ms; margin "+-0.80"
  std::string noise;                       // "within noise"; empty: it stands out
  std::string id, where, words;            // "sync.item", "train.py:105 (was 104)", in words
};

std::vector<DiffRow> diff_rows(const collect::DeviceComparison& device, DiffBy by);

// The title of the number columns' unit: "ms/step" or "ms/s".
const char* unit_heading(const collect::DeviceComparison& device);

// "before: 58 of 60 steps, train.py, NVIDIA H100, on box"
std::vector<std::string> run_lines(const collect::Comparison& comparison);
// "Differs: torch 2.9 -> 2.11", one line per difference; without `all` only what may explain.
std::vector<std::string> environment_lines(const collect::Comparison& comparison, bool all);
// "SIMULATED DEVICE ..." where one side is one; empty otherwise.
std::string simulated_warning(const collect::Comparison& comparison);

}  // namespace gpustall::cli
