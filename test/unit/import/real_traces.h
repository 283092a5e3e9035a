// Traces that other people recorded: in $GPUSTALL_TRACES, or beside the repository. They are never
// part of it; a test without them says loudly that it did not run.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>

namespace gpustall::test {

inline std::filesystem::path real_trace(const std::string& name) {
  const char* named = std::getenv("GPUSTALL_TRACES");
  const std::filesystem::path folder =
      named != nullptr ? std::filesystem::path(named)
                       : std::filesystem::path(GPUSTALL_SOURCE_DIR) / ".." / "shared" / "traces";
  return folder / name;
}

}  // namespace gpustall::test

// In a test: leaves it where the trace is not there.
#define GPUSTALL_NEEDS_TRACE(path)                                            \
  if (!std::filesystem::exists(path)) {                                       \
    WARN("SKIPPED: no trace " << (path).string() << "; set GPUSTALL_TRACES"); \
    return;                                                                   \
  }
