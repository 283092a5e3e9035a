// What must hold in every comparison: the rows add up, exactly.
#include "collector/compare/comparison.h"
#include "collector/compare/limits.h"
#include "collector/compare/verdict.h"
#include "test/catch.h"
#include "test/sim/host_sim.h"
#include "test/unit/compare/generated_run.h"

using namespace gpustall::test;

namespace {

struct Sums {
  int64_t base = 0, next = 0;
  bool operator==(const Sums&) const = default;
};

Sums of(const std::vector<ChangeRow>& rows) {
  Sums sums;
  for (const ChangeRow& row : rows) {
    sums.base += row.change.base_ns;
    sums.next += row.change.next_ns;
  }
  return sums;
}

Sums of(const Change& change) {
  return {change.base_ns, change.next_ns};
}

void check_sums(const Comparison& c) {
  REQUIRE_FALSE(c.devices.empty());
  for (const DeviceComparison& device : c.devices) {
    CHECK(of(device.idle_rows) == of(device.idle));
    CHECK(of(device.cause_rows) == of(device.idle));
    CHECK(of(device.line_rows) == of(device.idle));
    CHECK(of(device.busy_rows) == of(device.busy));
    CHECK(device.idle.base_ns + device.busy.base_ns == device.span.base_ns);
    CHECK(device.idle.next_ns + device.busy.next_ns == device.span.next_ns);
    for (const auto* rows :
         {&device.idle_rows, &device.cause_rows, &device.line_rows, &device.busy_rows})
      for (const ChangeRow& row : *rows) CHECK(row.change.base_ns >= 0);
  }
}

Comparison compared(const Model& base, const Model& next, size_t rows = 10) {
  CompareOptions options;
  options.rows = rows;
  return compare(std::span(&base, 1), std::span(&next, 1), options);
}

const ChangeRow* row_of(const std::vector<ChangeRow>& rows, Cause cause) {
  for (const ChangeRow& row : rows)
    if (row.kind == ChangeRow::Kind::Cause && row.cause == cause) return &row;
  return nullptr;
}

Model analyzed(const sim::Program& program) {
  const Recording recording = sim::run(program).recording;
  return build_model(recording, analyze(recording));
}

// Steps that differ a little, as real ones do.
sim::Program training(int steps, double read_us) {
  sim::Program program;
  for (int s = 0; s < steps; ++s) {
    sim::Step step = sim::net(12 + (s * 7 % 5) * 0.3, 10, 20) + sim::Step{sim::read('a')};
    if (read_us > 0) step = step + sim::Step{sim::load_on_main(read_us + s % 3)};
    program.steps.push_back(step);
  }
  return program;
}

}  // namespace

TEST_CASE("rows add up to idle and busy, and these to the step, on both sides and in every table") {
  GeneratedRun shorter = usual_run();
  shorter.steps = 150;
  shorter.warmup = 7;
  shorter.rows.pop_back();
  const Model a = generate(usual_run(), 1), b = generate(shorter, 2);
  for (const size_t rows : {size_t{0}, size_t{1}, size_t{3}, size_t{10}}) {
    check_sums(compared(a, b, rows));
    check_sums(compared(b, a, rows));
  }
  const std::vector<Model> several = {a, generate(usual_run(), 3), b};
  check_sums(compare(several, std::span(&b, 1)));
}

TEST_CASE("rows that are kept as means only do not break the sums") {
  Model a = generate(usual_run(), 1), b = generate(usual_run(), 2);
  for (Model* model : {&a, &b})
    for (size_t i = 2; i < model->devices[0].steady->causes.size(); ++i) {
      CauseRow& row = model->devices[0].steady->causes[i];
      row.per_step.clear();
      row.ns += 12'345;  // the window reaches a little further than the last step
    }
  const Comparison c = compared(a, b, 0);
  check_sums(c);
  CHECK(c.outcome == Outcome::Same);
  for (const ChangeRow& row : c.devices[0].cause_rows) CHECK_FALSE(row.change.distinguishable);
}

TEST_CASE("the first steps that one side leaves out are left out on both") {
  GeneratedRun late = usual_run();
  late.warmup = 20;
  const Comparison c = compared(generate(usual_run(), 1), generate(late, 2));
  CHECK(c.base[0].left_out == 20);
  CHECK(c.next[0].left_out == 20);
  CHECK(c.devices[0].base_units == 183);
  check_sums(c);
}

TEST_CASE("a run compared with itself does not differ") {
  const Model a = generate(usual_run(), 1);
  const Comparison c = compared(a, a);
  CHECK(c.outcome == Outcome::Same);
  CHECK(c.devices[0].span.change() == 0);
  CHECK(c.environment.empty());
  CHECK(c.reasons.empty());
}

TEST_CASE("what a step costs in both runs is no noise") {
  // Steps of very different length, the same in both runs: long sequences, large batches.
  GeneratedRun run = usual_run();
  Model a = generate(run, 1);
  for (size_t s = 0; s < run.steps; ++s) {
    const int64_t extra = s % 7 == 3 ? 30'000'000 : s % 3 * 4'000'000;
    a.devices[0].step_span_ns[s] += extra;
    a.devices[0].step_busy_ns[s] += extra;
  }
  Model b = a;
  for (size_t s = 0; s < run.steps; ++s) {
    b.devices[0].step_span_ns[s] += 200'000 + static_cast<int64_t>(s % 5) * 1000;
    b.devices[0].step_busy_ns[s] += 200'000 + static_cast<int64_t>(s % 5) * 1000;
  }
  const Comparison c = compared(a, b);
  CHECK(c.outcome == Outcome::Slower);
  CHECK(*c.devices[0].span.margin < 20'000);
}

TEST_CASE("runs without steps are compared per second, and no speed is claimed") {
  Model a = generate(usual_run(), 1), b = generate(usual_run(), 2);
  for (Model* model : {&a, &b}) {
    model->processes[0].steps.reset();
    model->devices[0].step_span_ns.clear();
    model->devices[0].step_busy_ns.clear();
    model->devices[0].steady.reset();
  }
  const Comparison c = compared(a, b);
  check_sums(c);
  CHECK(c.devices[0].unit == Unit::Second);
  CHECK(c.devices[0].span.base == Approx(1e9));
  CHECK(c.outcome == Outcome::Inconclusive);
  CHECK_THAT(c.verdict, contains("No steps to compare"));
  CHECK(judge_gate(c, 0.03).judgement == Judgement::Inconclusive);
}

TEST_CASE("a handful of steps is no ground for a judgement") {
  GeneratedRun run = usual_run();
  run.steps = 8;
  const Comparison c = compared(generate(run, 1), generate(run, 2));
  check_sums(c);
  CHECK(c.outcome == Outcome::Inconclusive);
  CHECK_FALSE(c.devices[0].span.margin);
}

TEST_CASE("nothing to compare is said, not computed") {
  const Model a = generate(usual_run(), 1);
  Model none;
  none.name = "empty";
  const Comparison c = compared(a, none);
  CHECK(c.devices.empty());
  CHECK(c.outcome == Outcome::Inconclusive);
  CHECK_THAT(to_json(c), contains("No GPU work was recorded in empty."));
}

TEST_CASE("damaged models are compared as far as they go") {
  Model a = generate(usual_run(), 1), b = generate(usual_run(), 2);
  b.devices[0].step_busy_ns.pop_back();
  CHECK(compared(a, b).devices[0].unit == Unit::Second);
  b = generate(usual_run(), 2);
  b.devices[0].steady->causes[0].per_step.resize(17);
  check_sums(compared(a, b));
  b = Model{};
  b.devices.emplace_back();
  CHECK(compared(a, b).outcome == Outcome::Inconclusive);
}

TEST_CASE("the simulated program: a slower loader is found, named, and adds up") {
  const Comparison c = compared(analyzed(training(60, 2000)), analyzed(training(60, 2800)));
  check_sums(c);
  CHECK(c.outcome == Outcome::Slower);
  const auto rows = culprits(c.devices[0]);
  REQUIRE_FALSE(rows.empty());
  CHECK(rows[0]->cause == Cause::DataMain);
  CHECK(rows[0]->change.change() == Approx(800'000).margin(40'000));
  check_sums(compared(analyzed(training(60, 2000)), analyzed(training(45, 0))));
  CHECK(row_of(c.devices[0].idle_rows, Cause::DataMain) != nullptr);
}
