// The function symbols of one ELF file on disk (.symtab and .dynsym), sorted for look-up. The file
// may be anything, a damaged one too: every offset is checked against its size.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collector/read/mapped_file.h"

namespace gpustall::collect {

class ElfSymbols {
 public:
  // Null when it cannot be opened or is no 64-bit little-endian ELF file.
  static std::unique_ptr<ElfSymbols> open(const std::string& path);

  const std::string& build_id() const { return build_id_; }  // hex, empty: none
  // The mangled name of the function that holds this byte of the file; null: none.
  const char* at_file_offset(uint64_t offset) const;

 private:
  struct Symbol {
    uint64_t address, size;
    uint64_t name;  // offset in the file
  };
  struct Segment {
    uint64_t file_offset, address, size;
  };

  explicit ElfSymbols(MappedFile file) : file_(std::move(file)) {}
  bool read();
  void read_symbols(uint64_t table, uint64_t bytes, uint64_t strings, uint64_t string_bytes);
  void read_notes(uint64_t offset, uint64_t bytes);
  template <typename T>
  bool load(uint64_t offset, T& value) const;

  MappedFile file_;
  std::string build_id_;
  std::vector<Segment> segments_;
  std::vector<Symbol> symbols_;  // by address
};

}  // namespace gpustall::collect
