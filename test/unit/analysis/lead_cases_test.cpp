// The known cases of the lead rule: what is charged to a synchronisation against the time that
// really disappears when it is removed, on the simulator. The bound is two points of the step.
#include "test/catch.h"
#include "test/sim/host_sim.h"
#include "test/unit/analysis/invariants.h"

using namespace gpustall::test;
using namespace gpustall::test::sim;
using gpustall::collect::Analysis;
using gpustall::collect::Cause;

namespace {

constexpr int kSteps = 40;

Program repeat(const Step& step, int n = kSteps) {
  return {std::vector<Step>(static_cast<size_t>(n), step), {}};
}

bool at_site(const Recording& r, const Analysis& a, gpustall::collect::SiteId site,
             const std::set<char>& sites) {
  if (raw(site) >= a.sites.size()) return false;
  const gpustall::collect::Site& s = a.sites[raw(site)];
  const std::string line = std::string(r.text(s.file)) + ":" + std::to_string(s.line) + " " +
                           std::string(r.text(s.function));
  return std::any_of(sites.begin(), sites.end(), [&](char c) { return line == line_of(c); });
}

// Idle time that the sites own or share, and the copies of theirs that nothing overlaps: both go
// when the reads go. In percent of the run.
double charged(const Outcome& run, const std::set<char>& sites, bool alone = false) {
  const Recording& r = run.recording;
  const Analysis a = checked_analysis(r);
  int64_t ns = 0;
  const uint64_t item = uint64_t{1} << static_cast<unsigned>(Cause::SyncItem);
  for (size_t s = 0; s < a.slices.size(); ++s) {
    const bool grouped = a.slices.group[s] != 0;
    const bool owns = at_site(r, a, a.slices.site[s], sites) || (grouped && sites.size() > 1);
    const bool shares = (a.slices.also[s] & item) != 0;
    if ((owns || shares) && !(alone && grouped)) ns += a.slices.end[s] - a.slices.start[s];
  }
  for (size_t i = 0; i < a.busy_slices.size(); ++i)
    if (at_site(r, a, a.busy_slices.site[i], sites))
      ns += a.busy_slices.end[i] - a.busy_slices.start[i];
  return double(ns) / 1000 / run.total_us * 100;
}

struct Case {
  const char* name;
  Program program;
  double known_gain_pct;
  std::set<char> removed = {'a'};
};

void check(const Case& c) {
  INFO(c.name);
  const Outcome with = run(c.program), without = time_only(c.program, c.removed);
  const double gain = (with.total_us - without.total_us) / with.total_us * 100;
  CHECK(std::abs(gain - c.known_gain_pct) < 0.1);  // the simulator itself
  const double charge = charged(with, c.removed);
  CAPTURE(charge, gain);
  CHECK(std::abs(charge - gain) <= 2.0);
}

}  // namespace

TEST_CASE("a GPU-bound step with one read is charged what removing it gains") {
  check({"item at the end", repeat(Step{cpu(500)} + net(8, 30, 100) + Step{read('a')}), 14.4});
  check({"30 reads, 10 kernels between", repeat(times(30, net(8, 20, 10) + Step{read('a')})), 8.9});
  check({"100 reads, 1 kernel between", repeat(times(100, net(8, 30, 1) + Step{read('a')})), 39.4});
}

TEST_CASE("a launch-bound step is not blamed on its read") {
  check({"one item", repeat(net(12, 5, 100) + Step{read('a')}), 0.9});
  check({"100 small ones", repeat(times(100, net(12, 5, 1) + Step{read('a')})), 47.4});
  check({"in the middle, after a heavy head",
         repeat(net(8, 100, 20) + Step{read('a')} + net(12, 5, 100)), 29.0});
}

TEST_CASE("a lead passes from the main to the autograd thread") {
  check({"forward on main, backward on autograd",
         repeat(Step{kernel(5000), read('a')} + net(12, 10, 100) + Step{hand_to(1)} +
                net(12, 10, 200) + Step{hand_to(0)}),
         16.1});
}

TEST_CASE("loading on the main process is hidden by the lead that a read gives up") {
  check(
      {"load 10 ms", repeat(Step{load_on_main(10000)} + net(8, 40, 300) + Step{read('a')}), 38.6});
}

TEST_CASE("a read in front of a slow loader gains nothing") {
  Program program = repeat(Step{next_batch(), cpu(1000)} + net(8, 40, 200) + Step{read('a')});
  program.loader = {.workers = 1, .decode_us = 20000};
  check({"loader-bound", program, 0.0});
}

TEST_CASE("two reads in a row help only together") {
  const Program two =
      repeat(Step{cpu(500)} + net(8, 30, 100) + Step{read('a'), cpu(30), read('b')});
  check({"both", two, 15.4, {'a', 'b'}});
  const Outcome with = run(two), without = time_only(two, {'a'});
  CHECK((with.total_us - without.total_us) / with.total_us * 100 == Approx(1.1).margin(0.1));
  CHECK(charged(with, {'a'}, true) <= 1.1 + 2.0);  // outside the group
}

TEST_CASE("lead that is not used at once survives later reads of the same line") {
  Program bursts, logs;
  for (int i = 0; i < kSteps; ++i) {
    bursts.steps.push_back(i % 4 < 2 ? net(4, 100, 100) + Step{read('a')}
                                     : Step{cpu(9000)} + net(4, 10, 100) + Step{read('a')});
    logs.steps.push_back(net(5, 33, 300) + Step{read('a')});
    if (i % 10 == 4) logs.steps.back().push_back(cpu(30000));
  }
  check({"GPU-heavy and host-heavy steps", bursts, 45.1});
  check({"30 ms of host work every tenth step", logs, 23.4});
}

TEST_CASE("a lead is no longer than the launch queue") {
  check({"1500 launches and an 8 ms pause",
         repeat(Step{cpu(8000)} + net(2, 6, 1500) + Step{read('a')}), 8.7});
}

TEST_CASE("reads in different halves of the step are charged apart") {
  check({"first of two",
         repeat(net(8, 30, 100) + Step{read('a'), cpu(500)} + net(8, 30, 100) +
                Step{read('b'), cpu(500)}),
         7.4});
}

TEST_CASE("a second wait takes the place of the first: only both together gain its lead") {
  // A read in the middle of queued work, one more kernel, and another read: alone, neither helps.
  const Program program =
      repeat(net(4, 100, 30) + Step{read('a')} + net(4, 10, 1) + Step{read('b'), cpu(2000)});
  const Outcome with = run(program);
  const double first = (with.total_us - time_only(program, {'a'}).total_us) / with.total_us * 100;
  CHECK(first < 2.0);
  CHECK(charged(with, {'a'}, true) <= first + 2.0);
  const double both =
      (with.total_us - time_only(program, {'a', 'b'}).total_us) / with.total_us * 100;
  CHECK(both > 30);
  CHECK(std::abs(charged(with, {'a', 'b'}) - both) <= 2.0);
}
