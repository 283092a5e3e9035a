#include "collector/read/trace_directory.h"

#include <algorithm>
#include <map>
#include <string>
#include <system_error>

#include "collector/read/mapped_file.h"

namespace gpustall::collect {
namespace {

namespace fs = std::filesystem;

// "3 .json files, 1 .txt file and 2 directories"; empty for an empty directory.
std::string found_in(const std::vector<fs::path>& entries) {
  std::map<std::string, size_t> kinds;
  for (const fs::path& entry : entries) {
    std::error_code ignored;
    const std::string extension = entry.extension().string();
    ++kinds[fs::is_directory(entry, ignored) ? "director"
            : extension.empty()              ? "other file"
                                             : extension + " file"];
  }
  std::string text;
  for (const auto& [kind, count] : kinds) {
    if (!text.empty()) text += ", ";
    text += std::to_string(count) + " " + kind;
    text += kind == "director" ? (count == 1 ? "y" : "ies") : (count == 1 ? "" : "s");
  }
  return text;
}

bool holds_traces(const fs::path& directory) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(directory, error))
    if (entry.path().extension() == ".gst") return true;
  return false;
}

Error no_trace_in(const fs::path& directory, const std::vector<fs::path>& entries) {
  const std::string name = directory.string();
  for (const fs::path& entry : entries) {
    std::error_code ignored;
    if (fs::is_directory(entry, ignored) && holds_traces(entry))
      return {name + " holds recordings in directories of its own; name one of them, such as " +
              entry.string()};
  }
  const std::string found = found_in(entries);
  return {name + (found.empty() ? " is empty" : " holds no .gst file (" + found + ")") +
          ": no process recorded here; a process records from its first CUDA call on, so see that"
          " the program reaches one, and that it was started under `gpustall run` or with"
          " LD_PRELOAD"};
}

}  // namespace

Result<std::vector<fs::path>> traces_in(const fs::path& directory) {
  std::error_code error;
  std::vector<fs::path> entries, traces;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
    entries.push_back(at->path());
  if (error) return open_error(directory, error.value());
  std::sort(entries.begin(), entries.end());
  for (const fs::path& entry : entries)
    if (entry.extension() == ".gst") traces.push_back(entry);
  if (traces.empty()) return no_trace_in(directory, entries);
  return traces;
}

}  // namespace gpustall::collect
