// Limits of builds: three answers.
#include "collector/compare/limits.h"
#include "test/catch.h"
#include "test/unit/compare/generated_run.h"

using namespace gpustall::test;

TEST_CASE("limits: kept, exceeded, and what cannot be told") {
  const Model model = generate(usual_run(), 1);
  const auto judged = [&model](Limit::Of of, const char* cause, bool share, double value) {
    return check_limits(model, {{of, cause, share, value}}).at(0).judgement;
  };
  using Of = Limit::Of;
  CHECK(judged(Of::Idle, "", true, 0.8) == Judgement::Passed);
  CHECK(judged(Of::Idle, "", true, 0.3) == Judgement::Exceeded);
  CHECK(judged(Of::Step, "", false, 15e6) == Judgement::Exceeded);
  CHECK(judged(Of::Step, "", false, 25e6) == Judgement::Passed);
  CHECK(judged(Of::Causes, "sync", false, 2e6) == Judgement::Passed);
  CHECK(judged(Of::Causes, "sync.item", false, 0.5e6) == Judgement::Exceeded);
  CHECK(judged(Of::Causes, "copy", false, 0.3e6) == Judgement::Exceeded);  // busy, and too much
  CHECK(judged(Of::Causes, "alloc", false, 0.01e6) == Judgement::Inconclusive);  // 50 us unknown
  const LimitResult item = check_limits(model, {{Of::Causes, "sync.item", false, 0.5e6}}).at(0);
  REQUIRE(item.measured);
  REQUIRE(item.margin);
  REQUIRE(item.rows.size() == 1);
  CHECK(item.rows[0].site->line == 67);
  // A limit just below the mean is exceeded, but not by more than noise.
  CHECK(judged(Of::Causes, "sync.item", false, *item.measured - *item.margin / 2) ==
        Judgement::Inconclusive);
}

TEST_CASE("a gate is passed, exceeded, or too close to tell") {
  GeneratedRun slowed = usual_run();
  slowed.rows[0].mean_us += 1200;  // 6 % of the step
  const Model base = generate(usual_run(), 1), next = generate(slowed, 2);
  const Comparison c = compare(std::span(&base, 1), std::span(&next, 1));
  CHECK(judge_gate(c, 0.02).judgement == Judgement::Exceeded);
  CHECK(judge_gate(c, 0.20).judgement == Judgement::Passed);
  CHECK(judge_gate(c, c.devices[0].span.change() / c.devices[0].span.base).judgement ==
        Judgement::Inconclusive);
}
