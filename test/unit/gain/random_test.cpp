// Random programs with known counterfactuals: what the replay promises against what really
// disappears.
#include <cstdio>
#include <cstdlib>
#include <map>

#include "test/catch.h"
#include "test/unit/gain/verified.h"

using namespace gpustall::test;

namespace {

int programs() {
  const char* asked = std::getenv("GPUSTALL_RANDOM_PROGRAMS");
  return asked != nullptr ? std::atoi(asked) : 2000;
}

}  // namespace

TEST_CASE("explore") {
  std::map<std::string, std::array<int, 4>> by;
  const char* one = std::getenv("SEED");
  const int from = one ? std::atoi(one) : 0, to = one ? from + 1 : programs();
  int nosteps = 0, unusable = 0;
  for (int seed = from; seed < to; ++seed) {
    const sim::Program program = sim::random_program(static_cast<uint32_t>(seed));
    const VerifiedProgram p(program);
    if (!p.has_steps()) {
      ++nosteps;
      std::printf("%d no steps\n", seed);
      continue;
    }
    const double calibration = p.calibration_pct();
    if (calibration > 0.05) std::printf("%d calibration %.2f\n", seed, calibration);
    if (one && std::getenv("BOUND")) p.print();
    if (!p.predictor().usable()) ++unusable;
    for (const Verified& v : p.verify()) {
      auto& c = by[v.cause.find('+') == std::string::npos ? v.cause : "group"];
      ++c[0];
      const bool right = std::abs(v.gain.pct - v.truth) <= 3;
      c[1] += right;
      c[2] += v.truth >= v.gain.low_pct - 1e-9 && v.truth <= v.gain.high_pct + 1e-9;
      if (!right || one)
        std::printf("%d %s truth %.1f gain %.1f (%.1f..%.1f) charged %.1f steps %zu/%u idle %.1f\n",
                    seed, v.cause.c_str(), v.truth, v.gain.pct, v.gain.low_pct, v.gain.high_pct,
                    v.charged, p.steps().count(), p.steps().warmup, p.idle_pct());
    }
  }
  int all = 0, right = 0, in = 0;
  for (auto& [k, c] : by)
    all += c[0], right += c[1], in += c[2],
        std::printf("%-40s %5d right %5.1f %% covered %5.1f %%\n", k.c_str(), c[0],
                    100.0 * c[1] / c[0], 100.0 * c[2] / c[0]);
  std::printf("all %d right %.1f covered %.1f; nosteps %d unusable %d\n", all, 100.0 * right / all,
              100.0 * in / all, nosteps, unusable);
}
