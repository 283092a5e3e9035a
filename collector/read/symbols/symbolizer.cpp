#include "collector/read/symbols/symbolizer.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace gpustall::collect {
namespace {

std::string hex(uint64_t value) {
  char text[24];
  snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

std::string base_name(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace

std::string address_text(uint64_t pc) {
  return hex(pc);
}

std::string demangled(const char* symbol) {
  int status = 0;
  char* text = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string result = status == 0 && text != nullptr ? text : symbol;
  std::free(text);
  return result;
}

const ElfSymbols* SymbolFiles::find(const std::string& path, const std::string& build_id) {
  auto [at, made] = files_.try_emplace(path);
  if (made) at->second = ElfSymbols::open(path);
  const ElfSymbols* symbols = at->second.get();
  if (symbols == nullptr) return nullptr;
  if (!build_id.empty() && symbols->build_id() != build_id) return nullptr;
  return symbols;
}

const std::string& SymbolFiles::name(const std::string& path, const std::string& build_id,
                                     uint64_t offset) {
  const auto [at, is_new] = names_.try_emplace({path, build_id, offset});
  if (!is_new) return at->second;
  const ElfSymbols* symbols = find(path, build_id);
  const char* symbol = symbols == nullptr ? nullptr : symbols->at_file_offset(offset);
  if (symbol != nullptr) at->second = demangled(symbol);
  return at->second;
}

Symbolizer::Symbolizer(SymbolFiles& files, std::vector<LoadedModule> modules)
    : files_(files), modules_(std::move(modules)) {
  std::stable_sort(modules_.begin(), modules_.end(),
                   [](const auto& a, const auto& b) { return a.base < b.base; });
}

std::string Symbolizer::name(uint64_t pc) {
  const uint64_t call = pc - 1;
  auto next = std::upper_bound(modules_.begin(), modules_.end(), call,
                               [](uint64_t at, const auto& m) { return at < m.base; });
  if (next == modules_.begin()) return address_text(pc);
  const LoadedModule& m = *(next - 1);
  if (call - m.base >= m.size) return address_text(pc);
  const uint64_t offset = call - m.base + m.file_offset;
  if (const std::string& known = files_.name(m.path, m.build_id, offset); !known.empty())
    return known;
  return base_name(m.path) + "+" + hex(offset + 1);
}

}  // namespace gpustall::collect
