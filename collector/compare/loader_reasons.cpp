#include "collector/compare/loader_reasons.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "collector/compare/run_rows.h"
#include "collector/compare/wording.h"

namespace gpustall::collect {
namespace {

constexpr double kLeastUpload = 64 * 1024;  // bytes per step; less is no batch
constexpr double kSameBatch = 1.02;
constexpr double kMostlyPinned = 0.5;  // share of the uploaded bytes

struct Loading {
  std::optional<uint32_t> workers;  // nothing: not seen
  double rounds = 0;                // starts of all workers per run
  double steps = 0;                 // compared, of all runs
  double pinned = 0, pageable = 0;  // bytes uploaded per step
  double uploaded() const { return pinned + pageable; }
  double pinned_share() const { return uploaded() > 0 ? pinned / uploaded() : 0; }
};

bool blames_main(const ModelDevice& device) {
  const auto& rows = device.steady->causes;
  return std::any_of(rows.begin(), rows.end(), [](const CauseRow& row) {
    return row.cause == Cause::DataMain && row.per_step_ns > 0;
  });
}

void add_workers(const Model& model, const ModelDevice& device, Loading& side) {
  if (model.basis != Basis::Recorded && model.basis != Basis::Simulated) return;
  bool seen = false;
  for (const LoaderSummary& loader : model.loaders) {
    if (loader.workers == 0) continue;
    seen = true;
    side.workers = std::max(side.workers.value_or(0), loader.workers);
    side.rounds += double(loader.started) / loader.workers;
  }
  // Without workers, loading is seen by what it costs.
  if (!seen && blames_main(device)) side.workers = side.workers.value_or(0);
}

std::optional<Loading> loading_of(std::span<const Model> models,
                                  std::span<const ModelDevice* const> devices) {
  Loading side;
  for (size_t r = 0; r < models.size(); ++r) {
    const std::optional<uint64_t> warmup = warmup_of(models[r], *devices[r]);
    if (!warmup) return {};
    side.steps += double(devices[r]->step_span_ns.size() - *warmup);
    add_workers(models[r], *devices[r], side);
    for (const WorkRow& row : devices[r]->work) {
      if (row.name == "copy host to device, pinned") side.pinned += double(row.bytes);
      if (row.name == "copy host to device, pageable") side.pageable += double(row.bytes);
    }
  }
  side.rounds /= double(models.size());
  side.pinned /= side.steps;
  side.pageable /= side.steps;
  return side;
}

class LoaderReasons {
 public:
  LoaderReasons(const Loading& base, const Loading& next, const DeviceComparison& comparison)
      : base_(base), next_(next), comparison_(comparison) {}

  std::vector<Reason> run() {
    workers();
    restarts();
    pinned();
    batch();
    return std::move(reasons_);
  }

 private:
  void add(const char* code, std::string sentence) {
    reasons_.push_back({code, std::move(sentence)});
  }

  // " Causes of loading: -4.84 ms per step."
  std::string change_of(bool (*counts)(Cause), const char* what) const {
    double change = 0;
    for (const ChangeRow& row : comparison_.cause_rows)
      if (row.kind == ChangeRow::Kind::Cause && counts(row.cause)) change += row.change.change();
    return std::string(" ") + what + ": " + signed_ms(change) + " ms per step.";
  }

  void workers() {
    if (!base_.workers || !next_.workers || *base_.workers == *next_.workers) return;
    std::string sentence = printed("Other num_workers: %u -> %u", *base_.workers, *next_.workers);
    if (*base_.workers == 0) sentence += ", loading leaves the training process";
    if (*next_.workers == 0) sentence += ", the training process loads by itself";
    add("loader_workers",
        sentence + "." +
            change_of([](Cause c) { return family_of(c) == CauseFamily::Data; }, "Waits for data"));
  }

  void restarts() {
    if (base_.workers.value_or(0) == 0 || next_.workers.value_or(0) == 0) return;
    const double a = std::round(base_.rounds), b = std::round(next_.rounds);
    if (a < 1 || b < 1 || a == b || std::min(a, b) > 1) return;
    add("worker_starts",
        printed("Workers are started %.0f -> %.0f times (persistent_workers, or other epochs).", a,
                b) +
            change_of([](Cause c) { return c == Cause::DataWorkerStart; }, "Starting them"));
  }

  bool uploads_batches() const {
    return std::min(base_.uploaded(), next_.uploaded()) >= kLeastUpload;
  }

  void pinned() {
    const double a = base_.pinned_share(), b = next_.pinned_share();
    if (!uploads_batches() || std::abs(a - b) < kMostlyPinned) return;
    add("pin_memory",
        printed("From pinned memory come %.0f -> %.0f %% of the bytes copied to the device "
                "(pin_memory).",
                100 * a, 100 * b) +
            change_of([](Cause c) { return family_of(c) == CauseFamily::Copy; }, "Idle in copies"));
  }

  void batch() {
    if (!uploads_batches()) return;
    const double ratio = next_.uploaded() / base_.uploaded();
    if (ratio < kSameBatch && ratio * kSameBatch > 1) return;
    add("batch_size",
        printed("A step uploads %.3g -> %.3g MB, %.2f times: another batch size, or other samples.",
                base_.uploaded() / 1e6, next_.uploaded() / 1e6, ratio));
  }

  const Loading& base_;
  const Loading& next_;
  const DeviceComparison& comparison_;
  std::vector<Reason> reasons_;
};

}  // namespace

std::vector<Reason> loader_reasons(std::span<const Model> base, std::span<const Model> next,
                                   std::span<const ModelDevice* const> base_devices,
                                   std::span<const ModelDevice* const> next_devices,
                                   const DeviceComparison& comparison) {
  if (comparison.unit != Unit::Step) return {};
  const std::optional<Loading> a = loading_of(base, base_devices);
  const std::optional<Loading> b = loading_of(next, next_devices);
  return a && b ? LoaderReasons(*a, *b, comparison).run() : std::vector<Reason>{};
}

}  // namespace gpustall::collect
