// Nothing is set here: `run` sets the variables of its child, `env` prints them.
#include "viewer-cli/launch/variables.h"

#include <cstdlib>

#include "viewer-cli/launch/installation.h"
#include "viewer-cli/launch/output_dir.h"
#include "viewer-cli/launch/preload.h"

namespace gpustall::cli {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : value;
}

// Another tool may hold the variable; then it stays with that tool.
void inject(Preparation& preparation, const char* name, const std::string& library,
            const char* consequence) {
  const std::string taken = variable(name);
  if (taken.empty()) {
    preparation.variables.emplace_back(name, library);
  } else if (taken != library) {
    preparation.notes.push_back(std::string(name) + " is set to " + taken + " and stays so; " +
                                consequence);
  }
}

}  // namespace

Preparation prepare(const RecordOptions& options) {
  const std::string library = preloadable(find_library());
  std::vector<std::string> libraries{library};
  if (options.simulate) {
    for (const std::string& stand_in : find_simulator(find_library())) {
      libraries.push_back(preloadable(stand_in));
    }
  }
  Preparation preparation;
  preparation.variables.emplace_back("LD_PRELOAD", preload_list(libraries, variable("LD_PRELOAD")));
  inject(preparation, "CUDA_INJECTION64_PATH", library,
         "recording starts at the program's first CUDA call instead");
  inject(preparation, "NVTX_INJECTION64_PATH", library, "NVTX ranges are not recorded");
  if (options.simulate) {
    preparation.variables.emplace_back("GPUSTALL_SIM", options.simulate_settings.empty()
                                                           ? variable("GPUSTALL_SIM")
                                                           : options.simulate_settings);
  }
  for (auto& setting : options.settings()) preparation.variables.push_back(std::move(setting));
  return preparation;
}

void name_run(Preparation& preparation, const std::string& output) {
  preparation.variables.emplace_back("GPUSTALL_OUT", output);
  preparation.variables.emplace_back("GPUSTALL_RUN_ID", new_run_id());
}

}  // namespace gpustall::cli
