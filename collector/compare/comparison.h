// Two sides of a comparison, each one run or several of the same program: what changed per step,
// cause by cause and site by site, what the data can tell from noise, and what else differs.
//
// Exact: in every device, the sums of idle_rows (of cause_rows, of line_rows) are those of `idle`,
// the sums of busy_rows those of `busy`, and idle + busy = span; on both sides, in integer
// nanoseconds.
//
// Intervals hold for 95 %. Those of rows hold together: in 95 of 100 comparisons of runs that do
// not differ, no row is marked at all. They come from the variation between the steps of each run,
// and from that between runs where a side has several.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collector/model.h"

namespace gpustall::collect {

// One quantity on both sides.
struct Change {
  int64_t base_ns = 0, next_ns = 0;  // summed over the compared steps (or the whole time): exact
  double base = 0, next = 0;         // the same per unit: ns per step, or ns per second
  std::optional<double> margin;      // the change is known to +- this, ns per unit; null: unknown
  bool distinguishable = false;      // more than its margin, and enough to matter
  double change() const { return next - base; }
};

// What one cause has in a row of line_rows, per unit.
struct LinePart {
  Cause cause{};
  double base = 0, next = 0;
  double change() const { return next - base; }
};

struct ChangeRow {
  enum class Kind : uint8_t {
    Cause,    // one cause at one site; in cause_rows at all its sites
    Compute,  // busy_rows: the device computes
    Others    // rows too small to be listed by themselves; always last, there when merged > 0
  };
  Kind kind = Kind::Cause;
  Cause cause{};
  std::optional<ModelSite> base_site, next_site;  // null: not on that side, or without a stack
  bool in_base = false, in_next = false;
  std::string object;  // as in CauseRow, where both sides agree
  size_t merged = 0;   // of Others
  // Of line_rows: its causes; those that changed as the line did first, the largest is `cause`.
  std::vector<LinePart> parts;
  Change change;
};

enum class Unit : uint8_t { Step, Second };

struct DeviceComparison {
  uint32_t ordinal = 0;  // as the base's program sees it
  std::string base_name, next_name;
  Unit unit = Unit::Step;
  double base_units = 0, next_units = 0;  // steps (all runs of the side), or seconds
  Change span, busy, idle;                // per step: step time = busy + idle
  // Of span.margin, per unit: what other load on the machine may have added, where one run on each
  // side is all there is. 0: no thread waited for a core, or several runs show how much they vary.
  double load_ns = 0;
  std::vector<ChangeRow> idle_rows, busy_rows;  // largest change first
  std::vector<ChangeRow> cause_rows;            // idle_rows summed by cause, no sites
  std::vector<ChangeRow> line_rows;             // summed by line; what has no line by cause
  std::vector<std::vector<int64_t>> base_steps_ns, next_steps_ns;  // compared steps, by run
};

struct ComparedRun {
  std::string name, script, host, gpu, step_basis;
  Basis basis = Basis::Recorded;
  bool simulated = false;
  uint64_t steps = 0, left_out = 0;  // all, and the first that are not compared (warm-up)
};

struct EnvironmentDifference {
  std::string key;         // of Model::environment, or "gpu", "host", "loader workers"
  std::string title;       // "driver"
  std::string base, next;  // empty: not recorded on that side
  bool may_explain = false;
};

// Something besides the table that explains the change, with its evidence in the sentence.
struct Reason {
  std::string code;  // "cpu_slower", "link_slower", "gpu_slower", "other_gpu", "other_work", ...
  std::string sentence;
};

enum class Outcome : uint8_t { Same, Faster, Slower, Inconclusive };

struct Comparison {
  int schema = 1;
  Outcome outcome = Outcome::Inconclusive;  // of the step time, on the device that changed most
  std::string verdict;                      // one sentence
  bool comparable = true;  // false: other GPU or kind of recording, no matter for a gate
  std::vector<ComparedRun> base, next;
  std::vector<DeviceComparison> devices;  // the one that the verdict is about comes first
  std::vector<Reason> reasons;
  std::vector<EnvironmentDifference> environment;  // may_explain first
  std::vector<std::string> cautions;  // what is not compared, and what the intervals do not know
};

struct CompareOptions {
  size_t rows = 10;          // listed by themselves in each table; 0: all
  double min_share = 0.002;  // of the step on either side; smaller rows go to Others
  uint64_t seed = 1;         // of the resampling: the same input gives the same output
};

// Both sides need at least one run. Runs without steps on either side make everything per second.
// Takes O(resamples * rows * blocks); throws nothing.
Comparison compare(std::span<const Model> base, std::span<const Model> next,
                   const CompareOptions& options = {});

struct GateResult;  // limits.h

// JSON; the contract is SCHEMA.md, "Comparison". `gate`: null without one.
std::string to_json(const Comparison& comparison, const GateResult* gate = nullptr);

constexpr std::string_view outcome_name(Outcome outcome) {
  constexpr std::string_view names[] = {"same", "faster", "slower", "inconclusive"};
  return names[static_cast<size_t>(outcome)];
}

}  // namespace gpustall::collect
