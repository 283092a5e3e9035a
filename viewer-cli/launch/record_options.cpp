// The option table of recording. Names and units of the variables: libinterpose/settings.h.
#include "viewer-cli/launch/record_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "viewer-cli/option_checks.h"

namespace gpustall::cli {

namespace {

constexpr char kAdvanced[] = "Advanced";

std::string seconds(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

std::string check_size(const std::string& text) {
  const size_t digits = text.find_first_not_of("0123456789");
  const bool suffix = digits != std::string::npos && digits > 0 && digits + 1 == text.size() &&
                      std::string("KMGkmg").find(text[digits]) != std::string::npos;
  const bool number = !text.empty() && digits == std::string::npos;
  return suffix || number ? std::string{} : "'" + text + "' is no size: a number with K, M or G";
}

std::string check_range(const std::string& text) {
  const bool nvtx = text.rfind("nvtx:", 0) == 0 && text.size() > 5;
  return text == "cuda-profiler" || nvtx ? std::string{}
                                         : "'" + text + "' is neither cuda-profiler nor nvtx:NAME";
}

struct SimulatorSetting {
  std::string_view name;
  double least;
};
constexpr SimulatorSetting kSimulatorSettings[] = {
#define GPUSTALL_SIM_SETTING(name, otherwise, least) {#name, least},
#include "test/simgpu/core/settings.def"
#undef GPUSTALL_SIM_SETTING
};

// Empty: one "name=number" that the simulated device takes.
std::string check_simulator_setting(const std::string& item) {
  const size_t equals = std::min(item.find('='), item.size());
  const std::string name = item.substr(0, equals);
  const std::string value = item.substr(std::min(equals + 1, item.size()));
  if (name == "log") return {};
  std::string names;
  for (const SimulatorSetting& known : kSimulatorSettings) {
    names += std::string(known.name) + " ";
    if (known.name != name) continue;
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    if (!value.empty() && *end == '\0' && number >= known.least) return {};
    return "'" + item + "': " + name + " is a number of " + seconds(known.least) + " or more";
  }
  return "'" + name + "' is no setting of the simulated device; there are " + names + "and log";
}

std::string check_simulator_settings(const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    std::string fault = comma == at ? "" : check_simulator_setting(text.substr(at, comma - at));
    if (!fault.empty()) return fault;
    at = comma + 1;
  }
  return {};
}

}  // namespace

void RecordOptions::declare(CLI::App& app) {
  const char* named = std::getenv("GPUSTALL_OUT");
  if (named != nullptr) output = named;  // -o replaces it
  app.add_option("-o,--output", output,
                 "folder of the recording (default gpustall-<script>-<time>); %r rank, %p pid, %h "
                 "host, %q{VAR} a variable")
      ->type_name("DIR");
  app.add_flag("-f,--force", force, "replace an existing recording");
  app.add_flag("--simulate", simulate, "no GPU: run on the simulated device");
  app.add_option("--simulate-settings", simulate_settings,
                 "of the simulated device: name=number,name=number")
      ->type_name("TEXT")
      ->check(CLI::Validator(check_simulator_settings, ""))
      ->group(kAdvanced);
  app.add_option("--delay", delay_s, "record nothing in the first SECONDS")
      ->type_name("SECONDS")
      ->check(seconds_amount());
  app.add_option("--duration", duration_s, "then record only SECONDS; the program goes on")
      ->type_name("SECONDS")
      ->check(seconds_amount());
  app.add_option("--range", range,
                 "record only inside it: cuda-profiler (its Start and Stop) or nvtx:NAME (NVTX "
                 "ranges of that name)")
      ->type_name("RANGE")
      ->check(CLI::Validator(check_range, ""));
  app.add_option("--max-size", max_size, "of each process's file (default 2G, 0: no limit)")
      ->type_name("SIZE")
      ->check(CLI::Validator(check_size, ""));
  app.add_flag("--no-stacks", no_stacks, "no stacks at all: causes without their lines")
      ->group(kAdvanced);
  app.add_flag("--no-native-stacks", no_native_stacks, "Python stacks only")->group(kAdvanced);
  app.add_flag("--no-cupti", no_cupti, "host side only, leave CUPTI alone")->group(kAdvanced);
  app.add_option("--sample-hz", sample_hz, "stack samples per second (default 100, 0: none)")
      ->type_name("N")
      ->check(whole_number(0))
      ->group(kAdvanced);
  app.add_option("--wait-us", wait_us, "waits this long are recorded (default 2)")
      ->type_name("N")
      ->check(whole_number(0))
      ->group(kAdvanced);
  app.add_option("--stack-us", stack_us, "waits this long have stacks (default 50)")
      ->type_name("N")
      ->check(whole_number(0))
      ->group(kAdvanced);
}

Variables RecordOptions::settings() const {
  Variables set;
  auto add = [&set](const char* name, const std::string& value) { set.emplace_back(name, value); };
  if (delay_s > 0) add("GPUSTALL_DELAY", seconds(delay_s));
  if (duration_s > 0) add("GPUSTALL_DURATION", seconds(duration_s));
  if (!range.empty()) add("GPUSTALL_RANGE", range);
  if (!max_size.empty()) add("GPUSTALL_MAX_SIZE", max_size);
  if (no_stacks) add("GPUSTALL_STACKS", "0");
  if (no_native_stacks && !no_stacks) add("GPUSTALL_STACKS", "python");
  if (no_cupti) add("GPUSTALL_CUPTI", "0");
  if (sample_hz >= 0) add("GPUSTALL_SAMPLE_HZ", std::to_string(sample_hz));
  if (wait_us >= 0) add("GPUSTALL_WAIT_US", std::to_string(wait_us));
  if (stack_us >= 0) add("GPUSTALL_STACK_US", std::to_string(stack_us));
  if (verbose) add("GPUSTALL_VERBOSE", "1");
  return set;
}

}  // namespace gpustall::cli
