// How well a difference of means is known when its values come in time order and depend on each
// other, as the steps of a training loop do. Knows nothing of gpustall.
//
// Blocks of neighbouring values are drawn anew (circular moving-block bootstrap), all quantities of
// a run in the same blocks, so that what moves together stays together. Few blocks make a bad
// estimate of the spread: it is corrected by their share of the series and judged by Student's t
// with degrees of freedom by the number of blocks (after Sun 2014, fixed-b asymptotics), which
// keeps short and strongly dependent series honest where a percentile interval is too narrow. Where
// a side has several runs, the spread between them counts if it is the larger one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gpustall::collect {

// One run: the same quantities, observed at the same steps, in order.
struct RunSeries {
  std::vector<std::vector<double>> values;  // [quantity][step], all of one length
  size_t steps() const { return values.empty() ? 0 : values.front().size(); }
};

struct ResampleOptions {
  double level = 0.95;
  unsigned resamples = 1000;
  uint64_t seed = 1;
  size_t period = 1;  // of regular events, in steps: blocks are multiples of it where they can be
};

struct Margin {
  double alone = 0;     // the difference of the two means is known to +- this
  double together = 0;  // the same for all quantities of its family at once
};

// Of mean(next) - mean(base), per quantity; a side's mean is over the steps of all its runs.
// `families`: per quantity the number of the family that it is judged with; 0: none. The quantities
// that vary most choose the blocks. Empty when nothing is known: a side has no run, or no spread
// can be seen (one run per side with too few steps).
std::vector<Margin> margins(std::span<const RunSeries> base, std::span<const RunSeries> next,
                            const std::vector<unsigned>& families, const ResampleOptions& options);

// Steps that one run must have before its own spread can be judged.
inline constexpr size_t kFewestSteps = 10;

// Neighbours that have to stay together: the automatic choice of Politis and White (2004, corrected
// 2009), times a safety factor.
size_t block_length(std::span<const double> series);
// At least six blocks are needed to see a spread, four of a short series.
size_t longest_block(size_t steps);

// The value that |t| exceeds with probability alpha.
double student_quantile(double alpha, double degrees_of_freedom);

}  // namespace gpustall::collect
