// Block sums come from prefix sums, so that a resample costs blocks x quantities, not steps.
#include "collector/compare/resample.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

namespace gpustall::collect {
namespace {

constexpr size_t kMostSteps = 4000;  // longer runs are compared in batches of steps
constexpr size_t kJudgesBlocks = 3;  // so many of the largest quantities choose the block length
// 1.5 in theory, where the length of the blocks is given; here it is estimated too. Measured: 1
// holds 95 % for series of 40 to 1,000 values with correlations up to 0.8.
constexpr double kFreedomPerBlock = 1;

using Matrix = std::vector<std::vector<double>>;

double mean_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double v : x) sum += v;
  return x.empty() ? 0 : sum / double(x.size());
}

double variance_of(const std::vector<double>& x) {
  const double mean = mean_of(x);
  double sum = 0;
  for (const double v : x) sum += (v - mean) * (v - mean);
  return x.size() < 2 ? 0 : sum / double(x.size() - 1);
}

// Means of `batch` neighbours; the few values that fill no batch are dropped.
Matrix batched(const Matrix& values, size_t batch) {
  Matrix means;
  for (const std::vector<double>& series : values) {
    std::vector<double>& mean = means.emplace_back();
    for (size_t at = 0; at + batch <= series.size(); at += batch) {
      double sum = 0;
      for (size_t i = at; i < at + batch; ++i) sum += series[i];
      mean.push_back(sum / double(batch));
    }
  }
  return means;
}

// One run under resampling.
struct Blocks {
  size_t steps = 0, length = 1;
  Matrix prefix;  // [quantity][2 * steps + 1], of the series twice in a row

  Blocks(const RunSeries& run, size_t period) {
    const size_t batch = (run.steps() + kMostSteps - 1) / kMostSteps;
    const Matrix values = batch > 1 ? batched(run.values, batch) : run.values;
    steps = values.front().size();
    length = length_for(values, batch > 1 ? 1 : period);
    for (const std::vector<double>& series : values) {
      std::vector<double>& sum = prefix.emplace_back(1, 0.0);
      for (size_t i = 0; i < 2 * steps; ++i) sum.push_back(sum.back() + series[i % steps]);
    }
  }

  // The most dependent of the quantities that vary most decides.
  static size_t length_for(const Matrix& values, size_t period) {
    std::vector<std::pair<double, size_t>> by_spread;
    for (size_t q = 0; q < values.size(); ++q) by_spread.push_back({-variance_of(values[q]), q});
    std::sort(by_spread.begin(), by_spread.end());
    by_spread.resize(std::min(by_spread.size(), kJudgesBlocks));
    size_t longest = 1;
    for (const auto& [spread, q] : by_spread) longest = std::max(longest, block_length(values[q]));
    const size_t most = longest_block(values.front().size());
    longest = std::min(longest, most);
    if (period > 1 && period <= most) longest = std::max(period, longest / period * period);
    return longest;
  }

  double count() const { return double(steps) / double(length); }
  double mean(size_t quantity, const std::vector<uint32_t>& starts) const {
    const std::vector<double>& sum = prefix[quantity];
    double total = 0;
    size_t left = steps;
    for (const uint32_t start : starts) {
      const size_t take = std::min(left, length);
      total += sum[start + take] - sum[start];
      left -= take;
    }
    return total / double(steps);
  }
};

// Means of the resamples of one run: [quantity][resample], without their own mean.
Matrix resampled(const Blocks& run, const ResampleOptions& options, std::mt19937_64& random) {
  const size_t blocks = (run.steps + run.length - 1) / run.length;
  Matrix means(run.prefix.size(), std::vector<double>(options.resamples));
  std::vector<uint32_t> starts(blocks);
  for (unsigned r = 0; r < options.resamples; ++r) {
    // Multiply and shift: the library's distributions differ between implementations.
    for (uint32_t& start : starts)
      start = static_cast<uint32_t>((random() >> 32) * run.steps >> 32);
    for (size_t q = 0; q < means.size(); ++q) means[q][r] = run.mean(q, starts);
  }
  for (std::vector<double>& series : means) {
    const double center = mean_of(series);
    for (double& value : series) value -= center;
  }
  return means;
}

// A variance and how well it is known.
struct Spread {
  double variance = 0, freedom = 1e6;
};

// Welch and Satterthwaite.
Spread sum_of(const Spread& a, const Spread& b) {
  const double sum = a.variance + b.variance;
  const double doubt = a.variance * a.variance / a.freedom + b.variance * b.variance / b.freedom;
  return {sum, doubt > 0 ? sum * sum / doubt : std::max(a.freedom, b.freedom)};
}

// The deviations of a side's mean, and their spread, by quantity.
struct Side {
  Matrix deviations;
  std::vector<Spread> within;
  std::vector<Spread> between;  // of the mean of the runs; freedom 0: one run
};

bool is_constant(const RunSeries& run) {
  return std::all_of(run.values.begin(), run.values.end(), [](const std::vector<double>& series) {
    return std::equal(series.begin() + 1, series.end(), series.begin());
  });
}

Side side_of(std::span<const RunSeries> runs, size_t quantities, const ResampleOptions& options,
             std::mt19937_64& random) {
  Side side;
  side.deviations.assign(quantities, std::vector<double>(options.resamples));
  side.within.resize(quantities);
  double all_steps = 0;
  for (const RunSeries& run : runs) all_steps += double(run.steps());
  for (const RunSeries& run : runs) {
    if (run.steps() < kFewestSteps || is_constant(run)) continue;
    const Blocks blocks(run, options.period);
    const double share = double(run.steps()) / all_steps;
    const Matrix means = resampled(blocks, options, random);
    // One block's worth of spread is lost to the mean that the blocks are measured from, and about
    // as much to what depends on each other across their edges.
    const double correction = std::sqrt(1 / (1 - 2 / blocks.count()));
    for (size_t q = 0; q < quantities; ++q) {
      for (unsigned r = 0; r < options.resamples; ++r)
        side.deviations[q][r] += share * correction * means[q][r];
      const Spread one{share * share * correction * correction * variance_of(means[q]),
                       kFreedomPerBlock * blocks.count()};
      side.within[q] = side.within[q].variance > 0 ? sum_of(side.within[q], one) : one;
    }
  }
  for (size_t q = 0; q < quantities; ++q) {
    std::vector<double> means;
    for (const RunSeries& run : runs) means.push_back(mean_of(run.values[q]));
    side.between.push_back({variance_of(means) / double(runs.size()), double(runs.size()) - 1});
  }
  return side;
}

// A side with one run is as variable as the other.
Spread between_runs(const Side& a, size_t a_runs, const Side& b, size_t b_runs, size_t q) {
  Spread of_a = a.between[q], of_b = b.between[q];
  if (a_runs == 1) of_a = {of_b.variance * double(b_runs), of_b.freedom};
  if (b_runs == 1) of_b = {of_a.variance * double(a_runs), of_a.freedom};
  return sum_of(of_a, of_b);
}

// How unlikely a deviation must be so that, in `level` of all resamples, none of the family is.
double joint_alpha(const Matrix& deviations, const std::vector<unsigned>& families, unsigned family,
                   const ResampleOptions& options) {
  const double alpha = 1 - options.level;
  std::vector<double> largest(options.resamples);
  for (size_t q = 0; q < deviations.size(); ++q) {
    const double spread = std::sqrt(variance_of(deviations[q]));
    if (families[q] != family || spread <= 0) continue;
    for (unsigned r = 0; r < options.resamples; ++r)
      largest[r] = std::max(largest[r], std::abs(deviations[q][r]) / spread);
  }
  std::sort(largest.begin(), largest.end());
  const auto at = static_cast<size_t>(options.level * double(largest.size()));
  return std::min(alpha, std::erfc(largest[std::min(at, largest.size() - 1)] / std::sqrt(2.0)));
}

bool has_spread(std::span<const RunSeries> runs) {
  return std::all_of(runs.begin(), runs.end(),
                     [](const RunSeries& run) { return run.steps() >= kFewestSteps; });
}

}  // namespace

std::vector<Margin> margins(std::span<const RunSeries> base, std::span<const RunSeries> next,
                            const std::vector<unsigned>& families, const ResampleOptions& options) {
  if (base.empty() || next.empty() || families.empty()) return {};
  const bool several = base.size() > 1 || next.size() > 1;
  if (!several && (!has_spread(base) || !has_spread(next))) return {};
  const size_t quantities = families.size();
  std::mt19937_64 random(options.seed);
  const Side a = side_of(base, quantities, options, random);
  const Side b = side_of(next, quantities, options, random);
  Matrix deviations = b.deviations;
  for (size_t q = 0; q < quantities; ++q)
    for (unsigned r = 0; r < options.resamples; ++r) deviations[q][r] -= a.deviations[q][r];
  const double alpha = 1 - options.level;
  std::map<unsigned, double> together;  // by family
  for (const unsigned family : families)
    if (!together.count(family))
      together[family] = family == 0 ? alpha : joint_alpha(deviations, families, family, options);
  std::vector<Margin> result;
  for (size_t q = 0; q < quantities; ++q) {
    Spread spread = sum_of(a.within[q], b.within[q]);
    if (several) {
      const Spread runs = between_runs(a, base.size(), b, next.size(), q);
      if (runs.variance > spread.variance) spread = runs;
    }
    const double error = std::sqrt(spread.variance);
    result.push_back({error * student_quantile(alpha, spread.freedom),
                      error * student_quantile(together[families[q]], spread.freedom)});
  }
  return result;
}

}  // namespace gpustall::collect
