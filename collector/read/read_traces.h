// Trace files -> Recording. One unreadable file among several is damage; none readable is the
// error of the first.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "collector/load.h"
#include "collector/recording.h"
#include "collector/result.h"

namespace gpustall::collect {

class SymbolFiles;

struct TraceBytes {
  std::string name;
  std::string_view bytes;
};

struct ReadOptions {
  bool symbols = true;  // look up native functions in the files that the trace names
  SymbolFiles* symbol_files = nullptr;  // names known from readings before this one; may be null
};

Result<Recording> read_traces(const std::vector<TraceBytes>& files, const Progress& progress = {},
                              ReadOptions options = {});

}  // namespace gpustall::collect
