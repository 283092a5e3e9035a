// Runs in a process of its own (run_apart): whatever goes wrong here is one line, never the exit
// status of the program that was recorded.
#include "viewer-cli/launch/aftermath.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "viewer-cli/loading.h"
#include "viewer-cli/render/report.h"
#include "viewer-cli/render/units.h"

namespace gpustall::cli {

namespace {

namespace fs = std::filesystem;

struct Files {
  size_t count = 0;
  uint64_t bytes = 0;
};

Files recorded_files(const std::string& folder) {
  Files files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".gst") continue;
    ++files.count;
    const uint64_t size = entry.file_size(error);
    if (!error) files.bytes += size;
  }
  return files;
}

std::string size_text(uint64_t bytes) {
  char text[64];
  const double value = static_cast<double>(bytes);
  if (bytes >= 1000000) {
    std::snprintf(text, sizeof text, "%.1f MB", value / 1e6);
  } else {
    std::snprintf(text, sizeof text, "%.1f kB", value / 1e3);
  }
  return text;
}

void tell_nothing_recorded(const std::string& output, const Witness& witness) {
  rmdir(output.c_str());
  std::fprintf(stderr, "gpustall: nothing was recorded. %s\n", witness.explanation().c_str());
}

void tell_verdict(const std::string& output, const Session& session) {
  const Terminal terminal = terminal_of(STDERR_FILENO, ColorMode::Auto);
  try {
    const collect::Model model = load_model(output, session);
    std::fprintf(stderr, "\n%s", render_verdict(model, terminal).c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpustall: no verdict: %s\n", error.what());
  }
}

}  // namespace

std::string shown_path(const std::string& path) {
  std::error_code error;
  const fs::path relative = fs::relative(path, fs::current_path(error), error);
  if (error || relative.empty() || *relative.begin() == "..") return path;
  return relative.string();
}

bool has_recording(const std::string& output) {
  return recorded_files(output).count > 0;
}

void tell_aftermath(const std::string& output, const Witness& witness, const Session& session) {
  const Files files = recorded_files(output);
  if (files.count == 0) return tell_nothing_recorded(output, witness);
  tell_verdict(output, session);
  const std::string path = shown_path(output);
  std::fprintf(stderr, "Saved: %s (%zu file%s, %s)\nNext:  gpustall report %s\n", path.c_str(),
               files.count, files.count == 1 ? "" : "s", size_text(files.bytes).c_str(),
               path.c_str());
}

}  // namespace gpustall::cli
