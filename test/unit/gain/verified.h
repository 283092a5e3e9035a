// A simulated program with what gpustall says about it: for each cause that can be taken out, the
// predicted gain beside the true one. Percent of the steady steps.
#pragma once
#include <optional>

#include "collector/gain/gain.h"
#include "test/sim/host_sim.h"
#include "test/sim/random_program.h"

namespace gpustall::test {

struct Verified {
  uint32_t seed = 0;
  std::string cause;  // "sync.item a"
  collect::CauseFamily family{};
  double truth = 0;      // of the steady steps
  double run_truth = 0;  // of the whole run
  double charged = 0;    // idle time and exposed copies charged to it
  double charged_as_sync = 0, idle_pct = 0;
  bool together = false;  // several sites
  collect::Gain gain;     // zero where nothing is charged: the report names no such cause
};

class VerifiedProgram {
 public:
  explicit VerifiedProgram(const sim::Program& program, const sim::Machine& machine = {});

  bool has_steps() const { return !analysis_.steps.empty(); }
  // Largest difference between a recorded step boundary and the replayed one, in percent of a step.
  double calibration_pct() const;
  const collect::GainPredictor& predictor() const { return *predictor_; }
  const collect::Steps& steps() const { return analysis_.steps.front(); }
  double idle_pct() const;

  // One entry for each cause, one for each group of waits that only help together.
  std::vector<Verified> verify() const;
  // The sites taken out together.
  Verified verify(const std::set<sim::Removable>& together) const;

 private:
  collect::GainTargets targets(const sim::Removable& what) const;
  bool matches(const sim::Removable& what, collect::Cause cause, collect::SiteId site) const;
  double true_gain(const std::set<char>& removed) const;
  double charged(const collect::GainTargets& targets, bool only_sync) const;
  double steady_share(int64_t ns) const;
  std::set<sim::Removable> grouped_with(const sim::Removable& what,
                                        const std::set<sim::Removable>& all) const;
  bool in_steady(collect::TraceTime device_time) const;

  const sim::Program& program_;
  sim::Machine machine_;
  sim::Outcome run_;
  collect::Analysis analysis_;
  std::optional<collect::GainPredictor> predictor_;
};

}  // namespace gpustall::test
