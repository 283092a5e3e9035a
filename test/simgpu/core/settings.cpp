// Parses GPUSTALL_SIM. A wrong key or value is said once, in one line, and otherwise ignored.
#include "settings.h"

#include <stdlib.h>

#include <string_view>

#include "notice.h"

namespace simgpu {
namespace {

struct Key {
  std::string_view name;
  double Settings::*value;
  double least;
};

constexpr Key kKeys[] = {
#define GPUSTALL_SIM_SETTING(name, otherwise, least) {#name, &Settings::name, least},
#include "settings.def"
#undef GPUSTALL_SIM_SETTING
};

void apply(Settings& to, std::string_view item) {
  const size_t equals = item.find('=');
  const std::string_view name = item.substr(0, equals);
  const std::string value(equals == item.npos ? "" : item.substr(equals + 1));
  if (name == "log") {
    to.log = value;
    return;
  }
  for (const Key& key : kKeys) {
    if (key.name != name) continue;
    char* end = nullptr;
    const double number = strtod(value.c_str(), &end);
    if (value.empty() || *end != 0 || !(number >= key.least))
      notice("GPUSTALL_SIM: bad value in \"%s\"", std::string(item).c_str());
    else
      to.*key.value = number;
    return;
  }
  notice("GPUSTALL_SIM: unknown key \"%s\"", std::string(name).c_str());
}

Settings parse() {
  Settings parsed;
  const char* text = getenv("GPUSTALL_SIM");
  std::string_view rest = text ? text : "";
  while (!rest.empty()) {
    const size_t comma = rest.find(',');
    if (comma != 0) apply(parsed, rest.substr(0, comma));
    rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
  }
  if (parsed.devices > 8) {
    notice("GPUSTALL_SIM: devices is limited to 8");
    parsed.devices = 8;
  }
  return parsed;
}

}  // namespace

const Settings& settings() {
  static const Settings* const kSettings =
      new Settings(parse());  // never freed: used until the very exit
  return *kSettings;
}

}  // namespace simgpu
