// The only place where commands meet the collector's readers.
#include "viewer-cli/loading.h"

#include <malloc.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>

#include "collector/load.h"
#include "viewer-cli/progress.h"
#include "viewer-cli/source_lines.h"

namespace gpustall::cli {

namespace {

namespace fs = std::filesystem;

constexpr size_t kDamageShown = 5;

// Passes over a recording need large tables one after the other. The allocator would give each back
// to the system and ask for the next one's pages anew: a third of the time.
void keep_freed_memory() {
#ifdef M_MMAP_MAX
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

// A saved model starts with its schema; other JSON files (torch.profiler) do not.
std::optional<std::string> saved_model(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return {};
  std::ifstream in(path, std::ios::binary);
  char head[64] = {};
  in.read(head, sizeof head - 1);
  const std::string_view start(head);
  const size_t brace = start.find_first_not_of(" \t\r\n");
  if (brace == std::string_view::npos || start[brace] != '{') return {};
  const size_t key = start.find_first_not_of(" \t\r\n", brace + 1);
  if (key == std::string_view::npos || start.substr(key, 8) != "\"schema\"") return {};
  in.clear();
  in.seekg(0);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void tell_damage(const collect::Recording& recording, const Session& session) {
  size_t told = 0;
  for (const std::string& damage : recording.damage) {
    if (!session.verbose && told == kDamageShown) {
      note(session, "warning: " + std::to_string(recording.damage.size() - told) +
                        " more damaged places; -v lists them");
      return;
    }
    note(session, "warning: " + damage);
    ++told;
  }
}

template <typename Device>
void check_ordinal(std::optional<uint32_t> wanted, const std::vector<Device>& devices) {
  std::set<uint32_t> ordinals;
  for (const Device& device : devices) ordinals.insert(device.ordinal);
  if (!wanted || ordinals.contains(*wanted)) return;
  std::string known;
  for (const uint32_t ordinal : ordinals)
    known += (known.empty() ? "" : ", ") + std::to_string(ordinal);
  fail("no device " + std::to_string(*wanted) + "; " +
       (known.empty() ? "nothing of any device was recorded, leave --device out"
                      : "the recording has " + known));
}

}  // namespace

Analyzed load_and_analyze(const std::string& path, const Session& session) {
  Analyzed analyzed;
  keep_freed_memory();
  {
    ProgressLine progress("reading " + path, session.quiet);
    auto recording = collect::load(path, progress.callback());
    if (!recording) fail(recording.error().message);
    analyzed.recording = std::move(*recording);
  }
  tell_damage(analyzed.recording, session);
  analyzed.analysis = collect::analyze(analyzed.recording);
  return analyzed;
}

collect::Model load_model(const std::string& path, const Session& session) {
  if (const auto text = saved_model(path)) {
    auto model = collect::from_json(*text);
    if (!model) fail(path + ": " + model.error().message);
    return std::move(*model);
  }
  const Analyzed analyzed = load_and_analyze(path, session);
  collect::Model model = collect::build_model(analyzed.recording, analyzed.analysis);
  add_source_lines(model, path);
  return model;
}

void check_device(std::optional<uint32_t> wanted, const collect::Recording& recording) {
  check_ordinal(wanted, recording.devices);
}

void check_device(std::optional<uint32_t> wanted, const collect::Model& model) {
  check_ordinal(wanted, model.devices);
}

}  // namespace gpustall::cli
