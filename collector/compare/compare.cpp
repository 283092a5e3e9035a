// Models to a comparison: devices are paired, steps aligned, sites matched over the runs.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "collector/compare/cautions.h"
#include "collector/compare/comparison.h"
#include "collector/compare/device_comparison.h"
#include "collector/compare/environment.h"
#include "collector/compare/reasons.h"
#include "collector/compare/verdict.h"

namespace gpustall::collect {
namespace {

constexpr double kLevel = 0.95;

using Devices = std::vector<const ModelDevice*>;

const ModelProcess* process_of(const Model& model, const ModelDevice& device) {
  for (const ModelProcess& process : model.processes)
    if (process.host == device.host &&
        std::find(device.pids.begin(), device.pids.end(), process.pid) != device.pids.end())
      return &process;
  return nullptr;
}

// In the order in which they are paired: by rank, then as the program numbers them.
Devices devices_of(const Model& model) {
  const auto place = [&model](const ModelDevice& device) {
    const ModelProcess* process = process_of(model, device);
    return std::tuple(process == nullptr ? -1 : process->rank, device.host, device.ordinal);
  };
  Devices devices;
  for (const ModelDevice& device : model.devices) devices.push_back(&device);
  std::stable_sort(devices.begin(), devices.end(), [&](const ModelDevice* a, const ModelDevice* b) {
    return place(*a) < place(*b);
  });
  return devices;
}

// Of each run the device at one place in that order.
Devices nth_devices(std::span<const Model> models, size_t n) {
  Devices devices;
  for (const Model& model : models) devices.push_back(devices_of(model)[n]);
  return devices;
}

size_t fewest_devices(std::span<const Model> base, std::span<const Model> next) {
  size_t fewest = SIZE_MAX;
  for (const std::span<const Model> side : {base, next}) {
    if (side.empty()) return 0;
    for (const Model& model : side) fewest = std::min(fewest, model.devices.size());
  }
  return fewest;
}

// Steps to leave out of every run, so that the same steps are compared; nothing when a run has
// none.
std::optional<uint64_t> common_warmup(std::span<const Model> models, const Devices& devices) {
  uint64_t longest = 0;
  for (size_t r = 0; r < models.size(); ++r) {
    const std::optional<uint64_t> warmup = warmup_of(models[r], *devices[r]);
    if (!warmup) return {};
    longest = std::max(longest, *warmup);
  }
  return longest;
}

class Comparing {
 public:
  Comparing(std::span<const Model> base, std::span<const Model> next, const CompareOptions& options)
      : base_(base), next_(next), options_(options) {}

  Comparison run() {
    out_.base = described(base_);
    out_.next = described(next_);
    const size_t devices = fewest_devices(base_, next_);
    for (size_t n = 0; n < devices; ++n) one_device(n, 1 - (1 - kLevel) / double(devices));
    choose_device();
    out_.environment = environment_differences(base_, next_);
    if (!out_.devices.empty())
      out_.reasons =
          reasons_for(base_, next_, nth_devices(base_, chosen_), nth_devices(next_, chosen_),
                      out_.devices.front(), out_.environment);
    out_.comparable = is_comparable(out_);
    out_.verdict = verdict_of(out_);
    out_.cautions = cautions_for(base_, next_, out_);
    return std::move(out_);
  }

 private:
  static std::vector<ComparedRun> described(std::span<const Model> models) {
    std::vector<ComparedRun> runs;
    for (const Model& model : models) {
      ComparedRun& run = runs.emplace_back();
      run.name = model.name;
      run.basis = model.basis;
      if (model.devices.empty()) continue;
      const ModelDevice& device = *devices_of(model).front();
      run.host = device.host;
      run.gpu = device.name;
      run.simulated = device.simulated;
      if (const ModelProcess* process = process_of(model, device)) run.script = process->script;
    }
    return runs;
  }

  static std::vector<DeviceRun> runs_of(std::span<const Model> models, const Devices& devices,
                                        const std::optional<uint64_t>& left_out,
                                        SiteMatcher& sites) {
    std::vector<DeviceRun> runs;
    for (size_t r = 0; r < models.size(); ++r)
      runs.push_back(
          device_run(models[r], *devices[r], left_out.has_value(), left_out.value_or(0), sites));
    return runs;
  }

  void one_device(size_t n, double level) {
    const Devices base_devices = nth_devices(base_, n), next_devices = nth_devices(next_, n);
    SiteMatcher sites;
    std::optional<uint64_t> left_out = common_warmup(base_, base_devices);
    const std::optional<uint64_t> of_next = common_warmup(next_, next_devices);
    left_out = left_out && of_next ? std::optional(std::max(*left_out, *of_next)) : std::nullopt;
    const std::vector<DeviceRun> base = runs_of(base_, base_devices, left_out, sites);
    const std::vector<DeviceRun> next = runs_of(next_, next_devices, left_out, sites);
    DeviceComparison device = compare_device(base, next, options_, level);
    device.ordinal = base_devices.front()->ordinal;
    device.base_name = base_devices.front()->name;
    device.next_name = next_devices.front()->name;
    if (n == 0) {
      describe_steps(base, out_.base, base_devices, base_);
      describe_steps(next, out_.next, next_devices, next_);
    }
    out_.devices.push_back(std::move(device));
  }

  static void describe_steps(const std::vector<DeviceRun>& runs, std::vector<ComparedRun>& to,
                             const Devices& devices, std::span<const Model> models) {
    for (size_t r = 0; r < runs.size(); ++r) {
      if (!warmup_of(models[r], *devices[r])) continue;
      to[r].steps = devices[r]->step_span_ns.size();
      to[r].left_out = runs[r].left_out;
      to[r].step_basis = runs[r].step_basis;
    }
  }

  // The verdict is about the device whose step time moved most, among those that surely moved.
  void choose_device() {
    const auto weight = [](const DeviceComparison& device) {
      const double moved = std::abs(device.span.change()) / std::max(device.span.base, 1.0);
      return std::pair(device.span.distinguishable, moved);
    };
    for (size_t n = 1; n < out_.devices.size(); ++n)
      if (weight(out_.devices[n]) > weight(out_.devices[chosen_])) chosen_ = n;
    if (out_.devices.empty()) return;
    std::rotate(out_.devices.begin(), out_.devices.begin() + static_cast<ptrdiff_t>(chosen_),
                out_.devices.begin() + static_cast<ptrdiff_t>(chosen_) + 1);
    out_.outcome = outcome_of(out_.devices.front());
  }

  const std::span<const Model> base_, next_;
  const CompareOptions& options_;
  size_t chosen_ = 0;
  Comparison out_;
};

}  // namespace

Comparison compare(std::span<const Model> base, std::span<const Model> next,
                   const CompareOptions& options) {
  return Comparing(base, next, options).run();
}

}  // namespace gpustall::collect
