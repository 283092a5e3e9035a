#include "collector/read/symbols/elf_symbols.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

namespace gpustall::collect {

template <typename T>
bool ElfSymbols::load(uint64_t offset, T& value) const {
  const std::string_view bytes = file_.bytes();
  if (offset > bytes.size() || bytes.size() - offset < sizeof value) return false;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return true;
}

std::unique_ptr<ElfSymbols> ElfSymbols::open(const std::string& path) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) return nullptr;
  std::unique_ptr<ElfSymbols> symbols(new ElfSymbols(std::move(*file)));
  if (!symbols->read()) return nullptr;
  return symbols;
}

bool ElfSymbols::read() {
  Elf64_Ehdr header;
  if (!load(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
    return false;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr p;
    if (!load(header.e_phoff + uint64_t{i} * header.e_phentsize, p)) break;
    if (p.p_type == PT_LOAD) segments_.push_back({p.p_offset, p.p_vaddr, p.p_filesz});
    if (p.p_type == PT_NOTE) read_notes(p.p_offset, p.p_filesz);
  }
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr s, strings;
    if (!load(header.e_shoff + uint64_t{i} * header.e_shentsize, s)) break;
    if (s.sh_type != SHT_SYMTAB && s.sh_type != SHT_DYNSYM) continue;
    if (load(header.e_shoff + uint64_t{s.sh_link} * header.e_shentsize, strings))
      read_symbols(s.sh_offset, s.sh_size, strings.sh_offset, strings.sh_size);
  }
  // Of several names for one address the first stays: .symtab and .dynsym list the same functions.
  std::stable_sort(symbols_.begin(), symbols_.end(),
                   [](const Symbol& a, const Symbol& b) { return a.address < b.address; });
  return true;
}

void ElfSymbols::read_symbols(uint64_t table, uint64_t bytes, uint64_t strings,
                              uint64_t string_bytes) {
  const uint64_t file_size = file_.bytes().size();
  if (strings > file_size || string_bytes > file_size - strings || string_bytes == 0) return;
  if (file_.bytes()[strings + string_bytes - 1] != '\0') return;  // names end inside the table
  Elf64_Sym symbol;
  for (uint64_t at = 0; at + sizeof symbol <= bytes && load(table + at, symbol);
       at += sizeof symbol) {
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol.st_shndx == SHN_UNDEF) continue;
    if (symbol.st_name == 0 || symbol.st_name >= string_bytes) continue;
    symbols_.push_back({symbol.st_value, symbol.st_size, strings + symbol.st_name});
  }
}

void ElfSymbols::read_notes(uint64_t offset, uint64_t bytes) {
  const uint64_t end = offset + bytes;
  Elf64_Nhdr note;
  while (offset + sizeof note <= end && load(offset, note)) {
    const uint64_t name = offset + sizeof note;
    const uint64_t data = name + ((uint64_t{note.n_namesz} + 3) & ~uint64_t{3});
    char owner[4];
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && load(name, owner) &&
        std::memcmp(owner, "GNU", 4) == 0) {
      for (uint64_t i = 0; i < note.n_descsz; ++i) {
        uint8_t byte = 0;
        if (!load(data + i, byte)) return;
        constexpr char kDigits[] = "0123456789abcdef";
        build_id_ += kDigits[byte >> 4];
        build_id_ += kDigits[byte & 15];
      }
      return;
    }
    offset = data + ((uint64_t{note.n_descsz} + 3) & ~uint64_t{3});
  }
}

const char* ElfSymbols::at_file_offset(uint64_t offset) const {
  for (const Segment& s : segments_) {
    if (offset < s.file_offset || offset - s.file_offset >= s.size) continue;
    const uint64_t address = s.address + (offset - s.file_offset);
    auto next = std::upper_bound(symbols_.begin(), symbols_.end(), address,
                                 [](uint64_t a, const Symbol& b) { return a < b.address; });
    if (next == symbols_.begin()) return nullptr;
    const uint64_t start = (next - 1)->address;
    while (next != symbols_.begin() && (next - 1)->address == start) --next;
    for (; next != symbols_.end() && next->address == start; ++next)
      if (address - start < next->size) return file_.bytes().data() + next->name;
    return nullptr;
  }
  return nullptr;
}

}  // namespace gpustall::collect
