// "missing=a:b". The dynamic linker skips a symbol table entry whose section is "undefined", so the
// names are struck from the mapped table of this very library. Works for dlsym, which is how
// optional entries are looked up; a library that was linked against the name has been bound before
// we run.
#include "hidden_symbols.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace simgpu::cupti {
namespace {

void* dynamic_entry(const link_map* map, ElfW(Sxword) tag) {
  for (const ElfW(Dyn)* d = map->l_ld; d->d_tag != DT_NULL; ++d) {
    if (d->d_tag == tag) return reinterpret_cast<void*>(d->d_un.d_ptr);
  }
  return nullptr;
}

void strike(ElfW(Sym) * symbol) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<uintptr_t>(symbol) & ~(page - 1);
  const auto end = reinterpret_cast<uintptr_t>(symbol + 1);
  mprotect(reinterpret_cast<void*>(first), end - first, PROT_READ | PROT_WRITE);
  symbol->st_shndx = SHN_UNDEF;
  symbol->st_value = 0;
  mprotect(reinterpret_cast<void*>(first), end - first, PROT_READ);
}

bool hide(const std::string& name) {
  Dl_info info;
  link_map* map = nullptr;
  if (dladdr1(reinterpret_cast<void*>(&hide_symbols), &info, reinterpret_cast<void**>(&map),
              RTLD_DL_LINKMAP) == 0) {
    return false;
  }
  auto* symbols = static_cast<ElfW(Sym)*>(dynamic_entry(map, DT_SYMTAB));
  const auto* strings = static_cast<const char*>(dynamic_entry(map, DT_STRTAB));
  // The string table follows the symbol table in every linker's layout; there is no count of
  // symbols.
  const auto* end = reinterpret_cast<const ElfW(Sym)*>(strings);
  for (ElfW(Sym)* symbol = symbols; symbol < end; ++symbol) {
    if (symbol->st_shndx == SHN_UNDEF || name != strings + symbol->st_name) continue;
    strike(symbol);
    return true;
  }
  return false;
}

}  // namespace

void hide_symbols(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (hide(name)) continue;
    std::fprintf(stderr, "simgpu libcupti: GPUSTALL_SIM_CUPTI: missing=%s: no such export\n",
                 name.c_str());
    std::abort();
  }
}

}  // namespace simgpu::cupti
