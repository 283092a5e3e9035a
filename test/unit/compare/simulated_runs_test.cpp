// The same promises on runs of the simulated host, through the whole analysis: recording, gaps,
// causes, steps, model, comparison.
#include <random>

#include "collector/compare/comparison.h"
#include "collector/compare/verdict.h"
#include "test/catch.h"
#include "test/sim/host_sim.h"

using namespace gpustall::test;

namespace {

constexpr int kPairs = 30;

// 60 steps of about 2.5 ms: loading, twenty layers, a read; host times vary from step to step.
Model recorded(uint32_t seed, double loading_us) {
  std::mt19937_64 random(seed);
  const auto varied = [&random](double us) {
    return us * (0.97 + 0.06 * double(random() >> 11) / double(uint64_t{1} << 53));
  };
  sim::Program program;
  for (int s = 0; s < 60; ++s)
    program.steps.push_back(sim::Step{sim::load_on_main(varied(loading_us))} +
                            sim::net(varied(20), 60, 20) + sim::Step{sim::read('a')});
  const Recording recording = sim::run(program).recording;
  return build_model(recording, analyze(recording));
}

Comparison compared(const Model& base, const Model& next) {
  return compare(std::span(&base, 1), std::span(&next, 1));
}

}  // namespace

TEST_CASE("simulated runs that do not differ raise no more alarms than promised") {
  int alarms = 0;
  for (uint32_t pair = 0; pair < kPairs; ++pair)
    alarms +=
        compared(recorded(2 * pair, 1000), recorded(2 * pair + 1, 1000)).outcome != Outcome::Same;
  CAPTURE(alarms);
  CHECK(alarms <= 4);  // 5 % of 30, and what chance adds to it in 98 of 100 cases
}

TEST_CASE("simulated runs whose loading takes 3 % of the step longer are told apart, and why") {
  int found = 0;
  const Model like = recorded(1, 1000);
  const double step_us = compared(like, like).devices.at(0).span.base / 1000;
  for (uint32_t pair = 0; pair < kPairs; ++pair) {
    const Comparison c =
        compared(recorded(2 * pair, 1000), recorded(2 * pair + 1, 1000 + 0.03 * step_us));
    const auto rows = culprits(c.devices.at(0));
    found += c.outcome == Outcome::Slower && !rows.empty() && rows[0]->cause == Cause::DataMain;
  }
  CAPTURE(found);
  CHECK(found >= kPairs * 9 / 10);
}
