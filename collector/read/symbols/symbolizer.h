// Addresses of a recorded process to function names, after the run: its module list, and the
// symbol tables of those files as they are on this machine now. A file that is gone, or that is
// not the one that was recorded (build id), gives "module+0x…"; never a wrong name.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "collector/read/symbols/elf_symbols.h"

namespace gpustall::collect {

struct LoadedModule {
  uint64_t base = 0, size = 0, file_offset = 0;
  std::string path;
  std::string build_id;  // hex; empty: not known
};

// Function names of files, shared by the processes of a run. One thread.
class SymbolFiles {
 public:
  // Of the function that holds this byte of the file, demangled. Empty: none, no such file, or
  // another build of it.
  const std::string& name(const std::string& path, const std::string& build_id, uint64_t offset);
  // Closes the files, whose tables are large; the names found so far stay known.
  void close() { files_.clear(); }

 private:
  using Place = std::tuple<std::string, std::string, uint64_t>;  // path, build id, offset
  const ElfSymbols* find(const std::string& path, const std::string& build_id);

  std::map<std::string, std::unique_ptr<ElfSymbols>> files_;
  std::map<Place, std::string> names_;
};

std::string address_text(uint64_t pc);
std::string demangled(const char* symbol);

class Symbolizer {
 public:
  Symbolizer(SymbolFiles& files, std::vector<LoadedModule> modules);
  // `pc` is a return address: the call before it is what is named.
  std::string name(uint64_t pc);

 private:
  SymbolFiles& files_;
  std::vector<LoadedModule> modules_;  // by base
};

}  // namespace gpustall::collect
