// One line with several causes is one place: its sum is what the comparison names.
#include "collector/compare/comparison.h"
#include "collector/compare/verdict.h"
#include "test/catch.h"
#include "test/unit/compare/generated_run.h"

using namespace gpustall::test;

namespace {

constexpr const char* kFile = "/home/u/run/train.py";

// Line 28 loads, waits for a core meanwhile and takes page faults; line 64 launches.
GeneratedRun shared_line(double factor) {
  GeneratedRun run;
  run.rows = {
      {Cause::DataMain, kFile, 28, "__getitem__", "image = decode(raw)", 1000 * factor, 0.1},
      {Cause::HostStarved, kFile, 28, "__getitem__", "image = decode(raw)", 1500 * factor, 0.1},
      {Cause::HostPageFault, kFile, 28, "__getitem__", "image = decode(raw)", 900 * factor, 0.1},
      {Cause::HostGil, kFile, 28, "__getitem__", "image = decode(raw)", 20, 0.1},
      {Cause::LaunchDispatch, kFile, 64, "train", "loss.backward()", 3000, 0.05},
      {Cause::DeviceSpacing, nullptr, 0, "", "", 300, 0.02},
      {Cause::UnknownUntraced, nullptr, 0, "", "", 50, 0.5},
  };
  return run;
}

Comparison compared(double base, double next) {
  const Model a = generate(shared_line(base), 1), b = generate(shared_line(next), 2);
  return compare(std::span(&a, 1), std::span(&b, 1));
}

const ChangeRow& row_at(const Comparison& c, int line) {
  for (const ChangeRow& row : c.devices.at(0).line_rows)
    if (row.next_site && row.next_site->line == line) return row;
  FAIL("no row of line " << line);
  return c.devices[0].line_rows[0];
}

}  // namespace

TEST_CASE("a change that is spread over the causes of one line names the line, with its total") {
  const Comparison c = compared(1, 2);
  CHECK(c.outcome == Outcome::Slower);
  CHECK_THAT(c.verdict, contains("; train.py:28 (+3.5"));
  CHECK_THAT(c.verdict, contains(" ms in all: host.starved, data.main, host.page_fault)"));
  const auto rows = culprits(c.devices[0]);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0]->change.change() == Approx(3.4e6).margin(0.2e6));
  // Faster is told in the same way.
  CHECK_THAT(compared(2, 1).verdict, contains("train.py:28 (-3.2"));
}

TEST_CASE("a line's causes add up to the line; what has no line stays by cause") {
  const Comparison c = compared(1, 2);
  const ChangeRow& line = row_at(c, 28);
  REQUIRE(line.parts.size() == 4);
  double base = 0, next = 0;
  for (const LinePart& part : line.parts) base += part.base, next += part.next;
  CHECK(base == Approx(line.change.base));
  CHECK(next == Approx(line.change.next));
  CHECK(line.cause == Cause::HostStarved);
  CHECK(telling_causes(line) ==
        std::vector{Cause::HostStarved, Cause::DataMain, Cause::HostPageFault});
  size_t without = 0;
  for (const ChangeRow& row : c.devices[0].line_rows) without += !row.base_site && !row.next_site;
  CHECK(without >= 2);  // spacing and unknown, each by itself
  CHECK_THAT(to_json(c), contains("\"line_rows\""));
}

TEST_CASE("a line of which one cause changed is named with that cause") {
  GeneratedRun slowed = shared_line(1);
  slowed.rows[0].mean_us += 2000;
  const Model a = generate(shared_line(1), 1), b = generate(slowed, 2);
  const Comparison c = compare(std::span(&a, 1), std::span(&b, 1));
  CHECK_THAT(c.verdict, contains("; data.main at train.py:28 (+"));
}

// Samples of a loop land on any of its lines, so that the hottest one is another in each run.
TEST_CASE(
    "a loop whose hottest line is another one is the same cause, and a change of it is told") {
  GeneratedRun base = shared_line(1), next = shared_line(1);
  for (size_t row = 0; row < 3; ++row) {
    next.rows[row].line = row == 1 ? 27 : 29;
    next.rows[row].text = row == 1 ? "for raw in chunk:" : "pixels += image";
  }
  const auto verdict = [&] {
    const Model a = generate(base, 1), b = generate(next, 2);
    return compare(std::span(&a, 1), std::span(&b, 1));
  };
  const Comparison same = verdict();
  CHECK(same.outcome == Outcome::Same);
  for (const ChangeRow& row : same.devices.at(0).idle_rows) {
    CHECK(row.in_base == row.in_next);
    CHECK_FALSE(row.change.distinguishable);
  }
  next.rows[0].mean_us += 2000;
  CHECK_THAT(verdict().verdict, contains("; data.main at train.py:29 (+2."));
  // A function that launches has statements, not samples of one loop.
  for (GeneratedRun* run : {&base, &next})
    run->rows.push_back({Cause::LaunchCall, kFile, 30, "__getitem__", "x.cuda()", 500, 0.1});
  size_t only_one_side = 0;
  const Comparison with_launches = verdict();
  for (const ChangeRow& row : with_launches.devices.at(0).idle_rows)
    only_one_side += row.in_base != row.in_next;
  CHECK(only_one_side == 6);
}

TEST_CASE("an operator without a line is named by itself") {
  GeneratedRun base = shared_line(1);
  base.rows.push_back({Cause::LaunchDispatch, "", 0, "aten::linear", "", 1000, 0.1});
  GeneratedRun slowed = base;
  slowed.rows.back().mean_us += 2000;
  const Model a = generate(base, 1), b = generate(slowed, 2);
  const Comparison c = compare(std::span(&a, 1), std::span(&b, 1));
  CHECK_THAT(c.verdict, contains("; launch.dispatch in aten::linear (+"));
}
