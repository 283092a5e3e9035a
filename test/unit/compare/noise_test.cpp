// What the comparison promises about noise, on pairs of generated runs.
#include "collector/compare/comparison.h"
#include "collector/compare/verdict.h"
#include "test/catch.h"
#include "test/unit/compare/generated_run.h"

using namespace gpustall::test;

namespace {

constexpr unsigned kPairs = 200;

Comparison compared(const Model& base, const Model& next) {
  return compare(std::span(&base, 1), std::span(&next, 1));
}

bool marks_a_row(const Comparison& c) {
  for (const ChangeRow& row : c.devices[0].idle_rows)
    if (row.change.distinguishable) return true;
  for (const ChangeRow& row : c.devices[0].busy_rows)
    if (row.change.distinguishable) return true;
  return false;
}

struct Alarms {
  unsigned verdicts = 0, rows = 0;
};

Alarms alarms_of(const GeneratedRun& run) {
  Alarms alarms;
  for (unsigned pair = 0; pair < kPairs; ++pair) {
    const Comparison c = compared(generate(run, 2 * pair), generate(run, 2 * pair + 1));
    alarms.verdicts += c.outcome != Outcome::Same;
    alarms.rows += marks_a_row(c);
  }
  return alarms;
}

// Pairs in which the run is called slower and the row that was made slower is named first.
unsigned found(const GeneratedRun& base, size_t row, double slower_by) {
  GeneratedRun slowed = base;
  double step_us = base.compute_us;
  for (const GeneratedRow& r : base.rows) step_us += r.mean_us;
  slowed.rows[row].mean_us += slower_by * step_us;
  unsigned count = 0;
  for (unsigned pair = 0; pair < kPairs; ++pair) {
    const Comparison c = compared(generate(base, 2 * pair), generate(slowed, 2 * pair + 1));
    const auto rows = culprits(c.devices[0]);
    const bool named = !rows.empty() && rows[0]->cause == base.rows[row].cause &&
                       rows[0]->base_site->line == base.rows[row].line;
    count += c.outcome == Outcome::Slower && named;
  }
  return count;
}

}  // namespace

TEST_CASE("200 pairs of runs that do not differ raise at most 5 % of alarms") {
  const Alarms alarms = alarms_of(usual_run());
  CAPTURE(alarms.verdicts, alarms.rows);
  CHECK(alarms.verdicts <= kPairs * 5 / 100);
  CHECK(alarms.rows <= kPairs * 5 / 100);
}

TEST_CASE("nor do strongly dependent steps") {
  GeneratedRun run = usual_run();
  for (GeneratedRow& row : run.rows) row.persistence = 0.8;
  const Alarms alarms = alarms_of(run);
  CAPTURE(alarms.verdicts, alarms.rows);
  CHECK(alarms.verdicts <= kPairs * 5 / 100);
  CHECK(alarms.rows <= kPairs * 8 / 100);
}

TEST_CASE("nor do short runs") {
  GeneratedRun run = usual_run();
  run.steps = 40;
  const Alarms alarms = alarms_of(run);
  CAPTURE(alarms.verdicts, alarms.rows);
  CHECK(alarms.verdicts <= kPairs * 5 / 100);
  CHECK(alarms.rows <= kPairs * 5 / 100);
}

TEST_CASE("a slow-down of 3 % in one cause is found and named in 90 % of pairs of 200 steps") {
  for (const size_t row : {size_t{0}, size_t{1}, size_t{3}, size_t{8}}) {
    const unsigned count = found(usual_run(), row, 0.03);
    CAPTURE(row, count);
    CHECK(count >= kPairs * 90 / 100);
  }
}

TEST_CASE("what other load on the machine adds to one run is no finding; several runs tell it") {
  unsigned alone = 0, rows = 0, found = 0;
  std::vector<Model> quiet, busy;
  for (unsigned pair = 0; pair < 40; ++pair) {
    GeneratedRun run = usual_run(), loaded = usual_run();
    // A fifth of the idle time waits for a core, and calls are stretched by more than that.
    for (GeneratedRow& row : loaded.rows)
      if (!row.busy) row.mean_us *= 1.4;
    loaded.rows.push_back({Cause::HostStarved, "/home/u/run/train.py", 64, "train", "", 3000, 1.5});
    const Model a = generate(run, 2 * pair), b = generate(loaded, 2 * pair + 1);
    const Comparison c = compared(a, b);
    alone += c.outcome != Outcome::Same;
    rows += marks_a_row(c);
    GeneratedRun slowed = loaded;
    slowed.rows[0].mean_us += 40'000;  // far more than load could have added
    found += compared(b, generate(slowed, 2 * pair + 300)).outcome == Outcome::Slower;
    if (pair < 5) quiet.push_back(a), busy.push_back(b);
  }
  CAPTURE(alone, rows, found);
  CHECK(alone == 0);
  CHECK(rows <= 2);
  CHECK(found == 40);
  const Comparison c = compared(quiet[0], busy[0]);
  CHECK_THAT(c.verdict,
             contains("one run each; threads waited for a core, so the machine was busy"));
  CHECK(compare(quiet, busy).outcome == Outcome::Slower);
}

TEST_CASE("several runs see what one run cannot: how much runs vary") {
  GeneratedRun run = usual_run();
  run.run_noise = 0.02;
  unsigned alone = 0, together = 0, slower = 0;
  GeneratedRun slowed = run;
  slowed.rows[0].mean_us += 0.15 * 20'000;
  for (unsigned pair = 0; pair < 60; ++pair) {
    std::vector<Model> base, next, slow;
    for (unsigned r = 0; r < 5; ++r) {
      base.push_back(generate(run, 100 * pair + r));
      next.push_back(generate(run, 100 * pair + 50 + r));
      slow.push_back(generate(slowed, 100 * pair + 70 + r));
    }
    alone += compared(base[0], next[0]).outcome != Outcome::Same;
    together += compare(base, next).outcome != Outcome::Same;
    slower += compare(base, slow).outcome == Outcome::Slower;
  }
  CAPTURE(alone, together, slower);
  CHECK(alone > 10);  // the variation is there, and one run each takes it for a difference
  CHECK(together <= 5);
  CHECK(slower == 60);
}
