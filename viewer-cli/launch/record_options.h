// What `run` and `env` can ask of the recorder, as GPUSTALL_* variables. Only what the library
// reads; a value is checked here, where the user sees the complaint, before anything starts.
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace gpustall::cli {

using Variables = std::vector<std::pair<std::string, std::string>>;

struct RecordOptions {
  std::string output;  // -o, else GPUSTALL_OUT; empty: a default name
  bool force = false;
  bool simulate = false;
  std::string simulate_settings;  // GPUSTALL_SIM
  double delay_s = 0, duration_s = 0;
  std::string range;     // "cuda-profiler", "nvtx:NAME"
  std::string max_size;  // "2G"
  bool no_stacks = false, no_native_stacks = false, no_cupti = false;
  int64_t sample_hz = -1, wait_us = -1, stack_us = -1;  // -1: the library's default
  bool verbose = false;

  void declare(CLI::App& app);
  // The variables of the chosen options, without output, preload and injection.
  Variables settings() const;
};

}  // namespace gpustall::cli
