// Models of training runs whose steps are drawn at random, with causes at known places: what the
// analysis would have said about them. The same seed gives the same run.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "collector/model.h"

namespace gpustall::test {

using namespace collect;  // NOLINT: the tests speak the collector's language

struct GeneratedRow {
  Cause cause{};
  const char* file = nullptr;  // null: without a site
  int line = 0;
  const char* function = "train";
  const char* text = "";
  double mean_us = 0;
  double noise = 0.2;        // standard deviation, as a share of the mean
  double persistence = 0.4;  // AR(1): how much of a deviation stays for the next step
  unsigned every = 1;        // only in every k-th step, then that many times as large
  bool busy = false;
};

struct GeneratedRun {
  std::vector<GeneratedRow> rows;
  double compute_us = 8000, compute_noise = 0.01;
  size_t steps = 203, warmup = 3;
  double run_noise = 0;  // standard deviation of a factor that holds for a whole run
};

// A step of about 20 ms, 60 % idle, in which several causes vary and depend on each other.
GeneratedRun usual_run();

Model generate(const GeneratedRun& run, uint64_t seed);

}  // namespace gpustall::test
