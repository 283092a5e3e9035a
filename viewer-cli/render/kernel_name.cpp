// The words of a demangled name, without a parser of C++: brackets and "::" are enough.
#include "viewer-cli/render/kernel_name.h"

#include <cxxabi.h>

#include <cctype>
#include <cstdlib>
#include <memory>

#include "viewer-cli/render/table.h"

namespace gpustall::cli {

namespace {

constexpr size_t kWidest = 72;

bool is_symbol(std::string_view name) {
  return name.starts_with("_Z") && name.size() > 2;
}

bool in_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '~';
}

void erase_all(std::string& text, std::string_view what) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos;) text.erase(at, what.size());
}

// Up to the parameter list: the first '(' outside of template arguments that opens no
// "(anonymous namespace)" and no "operator()".
std::string without_parameters(const std::string& text) {
  size_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<' || text[i] == '{') ++depth;
    if ((text[i] == '>' || text[i] == '}') && depth > 0) --depth;
    if (text[i] != '(' || depth > 0) continue;
    if (text.compare(i, 2, "()") == 0 && i >= 8 && text.compare(i - 8, 8, "operator") == 0) {
      ++i;
      continue;
    }
    return text.substr(0, i);
  }
  return text;
}

// "a::b<c::d>" -> "b<d>": each word that stands before "::" goes, with its own arguments.
std::string without_namespaces(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "::") != 0) {
      out += text[i];
      continue;
    }
    ++i;
    size_t from = out.size(), depth = 0;
    while (from > 0) {
      const char c = out[from - 1];
      if (c == '>' || c == ')' || c == '}') ++depth;
      if ((c == '<' || c == '(' || c == '{') && depth == 0) break;
      if (c == '<' || c == '(' || c == '{') --depth;
      if (depth == 0 && !in_word(c) && c != '<' && c != '(' && c != '{') break;
      --from;
    }
    out.erase(from);
  }
  return out;
}

// The return type of a template stands before it.
std::string without_return_type(const std::string& text) {
  size_t depth = 0, from = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<' || text[i] == '(' || text[i] == '{') ++depth;
    if ((text[i] == '>' || text[i] == ')' || text[i] == '}') && depth > 0) --depth;
    if (text[i] == ' ' && depth == 0) from = i + 1;
  }
  return text.substr(from);
}

}  // namespace

std::string demangled(std::string_view name) {
  if (!is_symbol(name)) return std::string(name);
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? std::string(text.get()) : std::string(name);
}

std::string short_kernel_name(std::string_view name) {
  std::string text = demangled(name);
  if (text == name) return text;
  erase_all(text, "(anonymous namespace)::");
  text = without_return_type(without_namespaces(without_parameters(text)));
  return text.empty() ? demangled(name) : cut(text, kWidest);
}

}  // namespace gpustall::cli
