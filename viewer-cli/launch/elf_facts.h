// The few facts of an executable file that decide whether a library can be preloaded into it. Reads
// files that may hold anything: every offset is checked.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gpustall::cli {

struct ElfFacts {
  bool is_64_bit = false;
  uint16_t machine = 0;
  std::string interpreter;          // the dynamic loader; empty: statically linked
  std::vector<std::string> needed;  // DT_NEEDED
};

// None: not an ELF file (a script, say), or damaged.
std::optional<ElfFacts> read_elf(const std::string& path);

}  // namespace gpustall::cli
