// The known cases of the lead rule: what is charged to a synchronisation against the time that
// really disappears when it is removed, on the simulator. The bound is two points of the step.
#include "test/catch.h"
#include "test/sim/host_sim.h"
#include "test/sim/known_programs.h"
#include "test/unit/analysis/invariants.h"

using namespace gpustall::test;
using namespace gpustall::test::sim;
using gpustall::collect::Analysis;
using gpustall::collect::Cause;

namespace {

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
    const bool shares = (a.slices.also(s) & item) != 0;
    if ((owns || shares) && !(alone && grouped)) ns += a.slices.end[s] - a.slices.start[s];
  }
  for (size_t i = 0; i < a.busy_slices.size(); ++i)
    if (at_site(r, a, a.busy_slices.site[i], sites))
      ns += a.busy_slices.end[i] - a.busy_slices.start[i];
  return double(ns) / 1000 / run.total_us * 100;
}

double gain(const Program& program, const Outcome& with, const std::set<char>& removed) {
  return (with.total_us - time_only(program, removed).total_us) / with.total_us * 100;
}

}  // namespace

TEST_CASE("the reads of every known program are charged what removing them gains") {
  for (const KnownProgram& known : known_programs()) {
    INFO(known.name);
    const Outcome with = run(known.program);
    const double gained = gain(known.program, with, known.removed);
    CHECK(std::abs(gained - known.gain_pct) < 0.1);  // the simulator itself
    const double charge = charged(with, known.removed);
    CAPTURE(charge, gained);
    CHECK(std::abs(charge - gained) <= 2.0);
  }
}

TEST_CASE("two reads in a row help only together") {
  const Program two = two_reads_in_a_row();
  const Outcome with = run(two);
  CHECK(std::abs(gain(two, with, {'a'}) - 1.1) < 0.1);
  CHECK(charged(with, {'a'}, true) <= 1.1 + 2.0);  // outside the group
}

TEST_CASE("a second wait takes the place of the first: only both together gain its lead") {
  // A read in the middle of queued work, one more kernel, and another read: alone, neither helps.
  const Program program = second_read_in_place();
  const Outcome with = run(program);
  const double first = gain(program, with, {'a'}), both = gain(program, with, {'a', 'b'});
  CHECK(first < 2.0);
  CHECK(charged(with, {'a'}, true) <= first + 2.0);
  CHECK(both > 30);
  CHECK(std::abs(charged(with, {'a', 'b'}) - both) <= 2.0);
}
