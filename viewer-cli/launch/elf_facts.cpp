// libelf is the collector's business and optional there; three tables need no library.
#include "viewer-cli/launch/elf_facts.h"

#include <elf.h>

#include <cstring>
#include <fstream>

namespace gpustall::cli {

namespace {

constexpr size_t kMostEntries = 4096;  // of any table; a sane file is far below
constexpr size_t kLongestName = 4096;

class File {
 public:
  explicit File(const std::string& path) : in_(path, std::ios::binary) {}

  template <typename T>
  bool read(uint64_t offset, T& value) {
    return read_bytes(offset, reinterpret_cast<char*>(&value), sizeof value);
  }

  std::string text(uint64_t offset) {
    std::string text;
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(offset));
    std::getline(in_, text, '\0');
    return text.size() > kLongestName ? std::string{} : text;
  }

 private:
  bool read_bytes(uint64_t offset, char* to, size_t size) {
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(offset));
    in_.read(to, static_cast<std::streamsize>(size));
    return in_.gcount() == static_cast<std::streamsize>(size);
  }
  std::ifstream in_;
};

std::vector<Elf64_Phdr> program_headers(File& file, const Elf64_Ehdr& header) {
  std::vector<Elf64_Phdr> entries;
  for (size_t i = 0; i < header.e_phnum && i < kMostEntries; ++i) {
    Elf64_Phdr entry{};
    if (!file.read(header.e_phoff + i * sizeof entry, entry)) break;
    entries.push_back(entry);
  }
  return entries;
}

uint64_t file_offset(const std::vector<Elf64_Phdr>& entries, uint64_t address) {
  for (const Elf64_Phdr& entry : entries) {
    const bool inside = entry.p_type == PT_LOAD && address >= entry.p_vaddr &&
                        address - entry.p_vaddr < entry.p_filesz;
    if (inside) return address - entry.p_vaddr + entry.p_offset;
  }
  return 0;
}

std::vector<std::string> needed_of(File& file, const std::vector<Elf64_Phdr>& entries,
                                   const Elf64_Phdr& dynamic) {
  std::vector<uint64_t> names;
  uint64_t strings = 0;
  for (size_t i = 0; i < dynamic.p_filesz / sizeof(Elf64_Dyn) && i < kMostEntries; ++i) {
    Elf64_Dyn entry{};
    if (!file.read(dynamic.p_offset + i * sizeof entry, entry) || entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_NEEDED) names.push_back(entry.d_un.d_val);
    if (entry.d_tag == DT_STRTAB) strings = file_offset(entries, entry.d_un.d_ptr);
  }
  std::vector<std::string> needed;
  for (const uint64_t name : names) {
    if (strings != 0) needed.push_back(file.text(strings + name));
  }
  return needed;
}

}  // namespace

std::optional<ElfFacts> read_elf(const std::string& path) {
  File file(path);
  Elf64_Ehdr header{};
  if (!file.read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  ElfFacts facts;
  facts.machine = header.e_machine;
  facts.is_64_bit = header.e_ident[EI_CLASS] == ELFCLASS64;
  if (!facts.is_64_bit || header.e_phentsize != sizeof(Elf64_Phdr)) return facts;
  const std::vector<Elf64_Phdr> entries = program_headers(file, header);
  for (const Elf64_Phdr& entry : entries) {
    if (entry.p_type == PT_INTERP) facts.interpreter = file.text(entry.p_offset);
    if (entry.p_type == PT_DYNAMIC) facts.needed = needed_of(file, entries, entry);
  }
  return facts;
}

}  // namespace gpustall::cli
