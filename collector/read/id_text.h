// Ids of one file as text, for people: strings, Python and native stacks, queues, objects.
#pragma once
#include <memory>
#include <string>

#include "collector/read/file_ids.h"

namespace gpustall::collect {

class IdText {
 public:
  IdText(const TraceFile& file, const FileScan& scan);

  std::string string(uint64_t id);
  std::string stack(uint64_t id);         // "file:line function; …", outermost first
  std::string native_stack(uint64_t id);  // "symbol; symbol", innermost first
  std::string code(uint64_t id);
  std::string queue(uint64_t id);
  std::string object(uint64_t id);

 private:
  const FileScan& scan_;
  Recording recording_;  // scratch: the same mapping as the reader's
  SymbolFiles symbol_files_;
  FileIds ids_;
};

std::vector<LoadedModule> loaded_modules(const FileScan& scan);

}  // namespace gpustall::collect
