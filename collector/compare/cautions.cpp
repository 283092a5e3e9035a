#include "collector/compare/cautions.h"

#include <algorithm>
#include <set>

#include "collector/compare/resample.h"
#include "collector/compare/wording.h"

namespace gpustall::collect {
namespace {

constexpr double kUnknownMatters = 0.2;  // share of idle time without a cause

const char* words_for(const ComparedRun& run) {
  if (run.basis == Basis::Kineto) return "a torch.profiler trace";
  if (run.basis == Basis::Nsys) return "an Nsight Systems export";
  if (run.simulated || run.basis == Basis::Simulated) return "recorded on the simulated device";
  // A process that is killed early has not said what it runs on.
  return run.gpu.empty() ? "recorded on an unknown device" : "recorded on a GPU";
}

std::set<std::string> kinds_of(const std::vector<ComparedRun>& runs) {
  std::set<std::string> kinds;
  for (const ComparedRun& run : runs) kinds.insert(words_for(run));
  return kinds;
}

std::string joined(const std::set<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : "; ") + word;
  return text;
}

class Cautions {
 public:
  Cautions(std::span<const Model> base, std::span<const Model> next, const Comparison& comparison)
      : base_(base), next_(next), comparison_(comparison) {}

  std::vector<std::string> run() {
    kinds();
    steps();
    run_to_run();
    devices();
    unknown();
    observed();
    ledger("BASE", base_);
    ledger("NEW", next_);
    return std::move(sentences_);
  }

 private:
  void say(std::string sentence) { sentences_.push_back(std::move(sentence)); }

  void kinds() {
    const std::set<std::string> a = kinds_of(comparison_.base), b = kinds_of(comparison_.next);
    if (a != b)
      say("BASE is " + joined(a) + ", NEW is " + joined(b) +
          ": they see different things, and causes may differ for that reason alone.");
  }

  void steps() {
    std::set<std::string> bases;
    bool missing = false;
    for (const auto* side : {&comparison_.base, &comparison_.next})
      for (const ComparedRun& run : *side) {
        if (run.steps == 0) {
          say("No steps were found in " + run.name +
              ": everything is compared per second of the whole recordings, start-up included.");
          missing = true;
        } else {
          bases.insert(run.step_basis);
        }
      }
    if (bases.size() > 1 && !missing)
      say("Steps were found by different evidence (" + joined(bases) +
          "): make sure that one step is the same work on both sides.");
  }

  void run_to_run() {
    const size_t a = comparison_.base.size(), b = comparison_.next.size();
    if (a == 1 && b == 1) {
      say("One run on each side: the intervals cannot see how much runs vary from one to the next. "
          "Add runs with --base and --new.");
    } else if (a == 1 || b == 1) {
      say(std::string(a == 1 ? "BASE" : "NEW") +
          " is one run: it is taken to vary from run to run as the other side does.");
    }
  }

  void devices() {
    for (const std::span<const Model> side : {base_, next_})
      for (const Model& model : side) {
        if (model.devices.empty())
          say("No GPU work was recorded in " + model.name + ".");
        else if (model.devices.size() > comparison_.devices.size())
          say(printed("%zu of %zu devices of ", comparison_.devices.size(), model.devices.size()) +
              model.name + " are compared: the other side has no more.");
      }
  }

  // Idle time whose cause nobody saw could be any row's.
  void unknown() {
    if (comparison_.devices.empty()) return;
    double base = 0, next = 0;
    const DeviceComparison& device = comparison_.devices.front();
    for (const ChangeRow& row : device.cause_rows)
      if (row.kind == ChangeRow::Kind::Cause && family_of(row.cause) == CauseFamily::Unknown)
        base += row.change.base, next += row.change.next;
    const double a = device.idle.base > 0 ? base / device.idle.base : 0;
    const double b = device.idle.next > 0 ? next / device.idle.next : 0;
    if (std::max(a, b) >= kUnknownMatters)
      say(printed("Idle time without a known cause: %.0f %% -> %.0f %% of the idle time.", 100 * a,
                  100 * b));
  }

  // Sentences about one process at one time, and warnings, are that run's own.
  static bool names_a_process(const std::string& sentence) {
    size_t digits = 0;
    for (const char byte : sentence) {
      digits = byte >= '0' && byte <= '9' ? digits + 1 : 0;
      if (digits >= 3) return true;
    }
    return false;
  }

  static std::set<std::string> not_observed(std::span<const Model> models) {
    std::set<std::string> sources;
    for (const Model& model : models)
      for (const std::string& source : model.ledger.not_observed)
        if (!names_a_process(source) && !source.starts_with("nsys warned")) sources.insert(source);
    return sources;
  }

  void observed() {
    const std::set<std::string> a = not_observed(base_), b = not_observed(next_);
    std::set<std::string> only_a, only_b;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(),
                        std::inserter(only_a, only_a.end()));
    std::set_difference(b.begin(), b.end(), a.begin(), a.end(),
                        std::inserter(only_b, only_b.end()));
    if (!only_a.empty()) say("Not observed, by BASE alone: " + joined(only_a) + ".");
    if (!only_b.empty()) say("Not observed, by NEW alone: " + joined(only_b) + ".");
  }

  void ledger(const char* side, std::span<const Model> models) {
    uint64_t lost = 0, unlinked = 0;
    size_t cut = 0;
    for (const Model& model : models) {
      lost += model.ledger.lost_records;
      unlinked += model.ledger.unlinked_activities;
      // Loader workers are ended by os._exit, always.
      for (const ModelProcess& process : model.processes)
        cut += !process.clean_end && process.role == "trainer";
    }
    if (lost + unlinked > 0)
      say(std::string(side) + printed(": %llu records lost, %llu activities without their launch.",
                                      static_cast<unsigned long long>(lost),
                                      static_cast<unsigned long long>(unlinked)));
    if (cut > 0)
      say(std::string(side) + ": the program did not end by itself (killed, or still running).");
  }

  const std::span<const Model> base_, next_;
  const Comparison& comparison_;
  std::vector<std::string> sentences_;
};

}  // namespace

bool is_comparable(const Comparison& comparison) {
  if (kinds_of(comparison.base) != kinds_of(comparison.next)) return false;
  for (const DeviceComparison& device : comparison.devices)
    if (device.base_name != device.next_name) return false;
  return true;
}

std::vector<std::string> cautions_for(std::span<const Model> base, std::span<const Model> next,
                                      const Comparison& comparison) {
  return Cautions(base, next, comparison).run();
}

}  // namespace gpustall::collect
