#include "collector/compare/environment.h"

#include <algorithm>
#include <map>
#include <set>

#include "collector/base_name.h"

namespace gpustall::collect {
namespace {

struct KeyMeaning {
  std::string_view key, title;
  bool may_explain;
};

// Keys without an entry may explain something; most are settings in environment variables.
constexpr KeyMeaning kKeys[] = {
    {"gpu", "GPU", true},
    {"host", "host", false},
    {"script", "script", false},
    {"loader workers", "DataLoader workers", true},
    {"torch", "torch", true},
    {"python", "python", true},
    {"cuda_driver", "driver", true},
    {"driver", "NVIDIA driver", true},
    {"gpu.clock", "GPU clock (median)", true},
    {"gpu.link", "PCIe link", true},
    {"gpu.power_limit", "power limit of the GPU", true},
    {"cuda_runtime", "CUDA runtime", true},
    {"cpu.allowed", "cores that the process may use", true},
    {"cpu.online", "cores of the machine", true},
    {"cpu.quota", "CPU quota of the container", true},
    {"memory.bytes", "memory of the machine", true},
    {"executable", "python executable", false},
    {"gpustall", "gpustall", false},
    {"nsys_schema", "nsys schema", false},
};

// Different in every job, and no reason for anything.
constexpr std::string_view kMeaningless[] = {"env.SLURM_JOB_ID", "env.LD_PRELOAD", "argv", "cwd"};

const KeyMeaning* meaning_of(std::string_view key) {
  for (const KeyMeaning& known : kKeys)
    if (known.key == key) return &known;
  return nullptr;
}

using Values = std::map<std::string, std::set<std::string>>;

void add(Values& values, const std::string& key, const std::string& value) {
  if (!value.empty()) values[key].insert(value);
}

Values values_of(std::span<const Model> models) {
  Values values;
  for (const Model& model : models) {
    for (const auto& [key, value] : model.environment)
      if (std::find(std::begin(kMeaningless), std::end(kMeaningless), key) ==
          std::end(kMeaningless))
        add(values, key, value);
    for (const ModelDevice& device : model.devices) add(values, "gpu", device.name);
    for (const ModelDevice& device : model.devices) add(values, "host", device.host);
    for (const ModelProcess& process : model.processes)
      if (process.role == "trainer") add(values, "script", base_name(process.script));
    for (const LoaderSummary& loader : model.loaders)
      add(values, "loader workers", std::to_string(loader.workers));
  }
  return values;
}

std::string joined(const Values& values, const std::string& key) {
  std::string text;
  if (const auto at = values.find(key); at != values.end())
    for (const std::string& value : at->second) text += (text.empty() ? "" : ", ") + value;
  return text;
}

std::string title_of(const std::string& key) {
  const KeyMeaning* meaning = meaning_of(key);
  if (meaning != nullptr) return std::string(meaning->title);
  return key.starts_with("env.") ? key.substr(4) : key;
}

}  // namespace

std::vector<EnvironmentDifference> environment_differences(std::span<const Model> base,
                                                           std::span<const Model> next) {
  const Values base_values = values_of(base), next_values = values_of(next);
  const bool settings_known = base_values.count("gpustall") && next_values.count("gpustall");
  std::set<std::string> keys;
  for (const auto& [key, values] : base_values) keys.insert(key);
  for (const auto& [key, values] : next_values) keys.insert(key);
  std::vector<EnvironmentDifference> differences;
  for (const std::string& key : keys) {
    EnvironmentDifference difference{key, title_of(key), joined(base_values, key),
                                     joined(next_values, key), true};
    if (difference.base == difference.next) continue;
    const KeyMeaning* meaning = meaning_of(key);
    // A variable that is not set is a setting too, where settings were recorded at all; a fact
    // that one side lacks was not recorded.
    const bool known = (!difference.base.empty() && !difference.next.empty()) ||
                       (key.starts_with("env.") && settings_known);
    difference.may_explain = (meaning == nullptr || meaning->may_explain) && known;
    differences.push_back(std::move(difference));
  }
  std::stable_sort(differences.begin(), differences.end(),
                   [](const auto& a, const auto& b) { return a.may_explain > b.may_explain; });
  return differences;
}

}  // namespace gpustall::collect
