#include "collector/model/advice.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "collector/cpu_quota.h"

namespace gpustall::collect {
namespace {

constexpr double kStartMatters = 0.05;  // of an epoch
constexpr uint32_t kMostWorkers = 16;   // more is no advice to give from a trace

bool works_here(const ModelDevice& device, uint32_t pid) {
  return std::find(device.pids.begin(), device.pids.end(), pid) != device.pids.end();
}

class LoaderAdvice {
 public:
  LoaderAdvice(const Model& model, const ModelDevice& device)
      : cores_(usable_cores(model)), device_(device) {
    for (const LoaderSummary& loader : model.loaders)
      if (works_here(device, loader.pid) && loader.workers > 0) loader_ = &loader;
    for (const ModelProcess& process : model.processes)
      if (process.steps && works_here(device, process.pid)) steps_ = &*process.steps;
  }

  std::string of(Cause cause) const {
    const std::string remedy(text_of(cause).remedy);
    if (!cores_) return remedy;
    switch (cause) {
      case Cause::DataMain:
        return loader_ == nullptr ? first_workers() : remedy;
      case Cause::DataWorkerCpu:
      case Cause::DataWorkerRead:
      case Cause::DataWait:
        return loader_ == nullptr ? remedy : more_workers(cause);
      case Cause::DataWorkerStarved:
        return loader_ == nullptr ? remedy : starved() + remedy;
      case Cause::DataWorkerStart:
        return loader_ == nullptr ? remedy : start();
      default:
        return remedy;
    }
  }

 private:
  // One core is left to the training process, which must launch meanwhile.
  uint32_t most_workers() const { return std::clamp(*cores_ - 1, 1u, kMostWorkers); }

  std::string cores() const {
    return std::to_string(*cores_) + (*cores_ == 1 ? " core" : " cores");
  }

  // Loading must keep up with a step that no longer waits for it.
  uint32_t wanted_workers() const {
    double data_ns = 0;
    if (device_.steady)
      for (const CauseRow& row : device_.steady->causes)
        if (row.cause == Cause::DataMain) data_ns += double(row.per_step_ns);
    const double step_ns = steps_ == nullptr ? 0 : double(steps_->mean_ns);
    if (data_ns <= 0 || step_ns <= data_ns) return 1;
    const double workers = std::ceil(data_ns / (step_ns - data_ns));
    return static_cast<uint32_t>(std::clamp(workers, 1.0, 1000.0));
  }

  std::string first_workers() const {
    if (*cores_ == 1)
      return "This process may use 1 core, which a DataLoader worker would take from it: make "
             "loading cheaper, do it beforehand, or allow more cores; then num_workers > 0 and "
             "pin_memory=True.";
    const uint32_t wanted = wanted_workers(), workers = std::min(wanted, most_workers());
    std::string text = "Give the DataLoader num_workers=" + std::to_string(workers) + " (of " +
                       cores() +
                       "), pin_memory=True, and persistent_workers=True if it is used "
                       "for several epochs.";
    if (wanted > workers)
      text += " Loading at the GPU's pace takes about " + std::to_string(wanted) +
              " workers: make it cheaper, too, or allow more cores.";
    return text;
  }

  std::string more_workers(Cause cause) const {
    const uint32_t now = loader_->workers;
    const std::string cheaper = cause == Cause::DataWorkerRead
                                    ? "faster or local storage, larger files, caching"
                                    : "cheaper preprocessing, or do it beforehand or on the GPU";
    if (now >= most_workers())
      return "No more workers: " + std::to_string(now) + " and the training process share " +
             cores() + ". Instead " + cheaper + ", or more cores.";
    const double pace = loader_->wanted_per_s / std::max(loader_->delivered_per_s, 1e-9);
    const auto wanted = static_cast<uint32_t>(std::clamp(std::ceil(now * pace), now + 1.0, 1000.0));
    return "num_workers=" + std::to_string(std::min(wanted, most_workers())) + " instead of " +
           std::to_string(now) + " (of " + cores() + "); " + cheaper + ".";
  }

  std::string starved() const {
    const uint32_t now = loader_->workers;
    if (now < *cores_) return {};
    return std::to_string(now) + " workers and the training process share " + cores() +
           ": num_workers=" + std::to_string(most_workers()) + ". ";
  }

  std::string start() const {
    const uint32_t rounds = loader_->started / loader_->workers;
    const std::string cost =
        loader_->start_ns > 0 ? ", each in " + std::to_string(loader_->start_ns / 1'000'000) + " ms"
                              : "";
    const std::string started = std::to_string(loader_->started) + " workers were started" + cost;
    if (rounds < 2)
      return started +
             ", once: smaller dataset objects and cheaper imports start them sooner; "
             "persistent_workers=True saves it in further epochs.";
    std::string text = started;
    if (steps_ != nullptr) {
      const double epoch_steps = double(steps_->count) / rounds;
      char words[64];
      std::snprintf(words, sizeof words, ", anew for each epoch of about %.0f steps", epoch_steps);
      text += words;
      const double epoch_ns = epoch_steps * double(steps_->mean_ns);
      if (double(loader_->start_ns) * loader_->workers > kStartMatters * epoch_ns)
        return text +
               ": persistent_workers=True, or longer epochs; smaller dataset objects, "
               "cheaper imports, fewer workers.";
    }
    return text + ": persistent_workers=True; smaller dataset objects; cheaper imports.";
  }

  const std::optional<uint32_t> cores_;
  const ModelDevice& device_;
  const LoaderSummary* loader_ = nullptr;
  const StepStats* steps_ = nullptr;
};

}  // namespace

std::optional<uint32_t> usable_cores(const Model& model) {
  const auto value = [&model](const char* key) {
    const auto at = model.environment.find(key);
    return at == model.environment.end() ? std::string() : at->second;
  };
  const long allowed = std::atol(value("cpu.allowed").c_str());
  if (allowed <= 0) return {};
  const std::optional<CpuQuota> quota = cpu_quota(value("cpu.quota"));
  const long cores =
      quota ? std::min<long>(allowed, std::max<long>(1, quota->runs_us / quota->period_us))
            : allowed;
  return static_cast<uint32_t>(cores);
}

std::string advice_for(const Model& model, const ModelDevice& device, Cause cause) {
  return family_of(cause) == CauseFamily::Data ? LoaderAdvice(model, device).of(cause)
                                               : std::string(text_of(cause).remedy);
}

}  // namespace gpustall::collect
