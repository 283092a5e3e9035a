// Limits for builds: how much a run may idle, or a cause may cost, and how much slower a run may
// be. A third answer besides yes and no: the data cannot tell.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "collector/compare/comparison.h"

namespace gpustall::collect {

enum class Judgement : uint8_t { Passed, Exceeded, Inconclusive };

constexpr std::string_view judgement_name(Judgement judgement) {
  constexpr std::string_view names[] = {"passed", "exceeded", "inconclusive"};
  return names[static_cast<size_t>(judgement)];
}
// The worse of two: exceeded, then inconclusive.
Judgement worse_of(Judgement a, Judgement b);

struct Limit {
  enum class Of : uint8_t { Idle, Step, Causes };
  Of of = Of::Idle;
  std::string causes;        // of Causes: a cause ("sync.item") or a family ("sync")
  bool is_share = false;     // of the time; else ns per step
  double value = 0;          // 0.15, or 2e6
  std::string text() const;  // "idle 15 %", "sync.item 2 ms"
};

struct LimitResult {
  Limit limit;
  uint32_t device = 0;
  Judgement judgement = Judgement::Inconclusive;
  std::optional<double> measured, margin;  // in the limit's unit; margin: 95 %, of the mean
  std::string sentence;
  std::vector<CauseRow> rows;  // what is over the limit, largest first; empty when passed
};

// Steady steps where there are steps, else the whole recording. Passed: not above the limit, and
// not if the time without a known cause were counted too. Exceeded: above it by more than noise.
std::vector<LimitResult> check_limits(const Model& model, const std::vector<Limit>& limits);

struct GateResult {
  Judgement judgement = Judgement::Inconclusive;
  std::string sentence;
};

// Whether the step time grew by more than `share` of the base. Needs runs that are comparable.
GateResult judge_gate(const Comparison& comparison, double share);

}  // namespace gpustall::collect
