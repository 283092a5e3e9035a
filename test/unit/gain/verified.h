// A simulated program with what gpustall says about it: for each cause that can be taken out, the
// predicted gain beside the true one. Percent of the steady steps.
#pragma once
#include <optional>

#include "collector/gain/gain.h"
#include "test/sim/host_sim.h"
#include "test/sim/random_program.h"

namespace gpustall::test {

struct Verified {
  std::string cause;  // "sync.item a"
  collect::CauseFamily family{};
  double truth = 0, charged = 0;  // idle time and exposed copies charged to it
  collect::Gain gain;             // zero where nothing is charged: the report names no such cause
};

class VerifiedProgram {
 public:
  explicit VerifiedProgram(const sim::Program& program);

  bool has_steps() const { return !analysis_.steps.empty(); }
  // Largest difference between a recorded step boundary and the replayed one, in percent of a step.
  double calibration_pct() const;
  const collect::GainPredictor& predictor() const { return *predictor_; }
  const collect::Steps& steps() const { return analysis_.steps.front(); }
  double idle_pct() const;
  void print() const;

  // One entry for each cause, one for each group of waits that only help together.
  std::vector<Verified> verify() const;
  // The sites taken out together.
  Verified verify(const std::set<sim::Removable>& together) const;

 private:
  collect::GainTargets targets(const sim::Removable& what) const;
  bool matches(const sim::Removable& what, collect::Cause cause, collect::SiteId site) const;
  double true_gain(const std::set<char>& removed) const;
  double charged(const collect::GainTargets& targets) const;
  double steady_share(int64_t ns) const;
  std::set<sim::Removable> grouped_with(const sim::Removable& what,
                                        const std::set<sim::Removable>& all) const;
  bool in_steady(collect::TraceTime device_time) const;

  const sim::Program& program_;
  sim::Outcome run_;
  collect::Analysis analysis_;
  std::optional<collect::GainPredictor> predictor_;
};

}  // namespace gpustall::test
