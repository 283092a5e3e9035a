// Addresses of a recorded process to function names, after the run: its module list, and the
// symbol tables of those files as they are on this machine now. A file that is gone, or that is
// not the one that was recorded (build id), gives "module+0x…"; never a wrong name.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collector/read/symbols/elf_symbols.h"

namespace gpustall::collect {

struct LoadedModule {
  uint64_t base = 0, size = 0, file_offset = 0;
  std::string path;
  std::string build_id;  // hex; empty: not known
};

// Symbol tables by path, shared by the processes of a run.
class SymbolFiles {
 public:
  // Null when there is none, or when it is another build.
  const ElfSymbols* find(const std::string& path, const std::string& build_id);

 private:
  std::map<std::string, std::unique_ptr<ElfSymbols>> files_;
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
