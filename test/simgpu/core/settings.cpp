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
    {"latency_ns", &Settings::latency_ns, 0},
    {"call_ns", &Settings::call_ns, 0},
    {"wake_ns", &Settings::wake_ns, 0},
    {"module_load_ns", &Settings::module_load_ns, 0},
    {"library_load_ns", &Settings::library_load_ns, 0},
    {"context_ns", &Settings::context_ns, 0},
    {"malloc_ns", &Settings::malloc_ns, 0},
    {"graph_gap_ns", &Settings::graph_gap_ns, 0},
    {"kernel_ns", &Settings::kernel_ns, 0},
    {"kernel_scale", &Settings::kernel_scale, 0},
    {"h2d_gbps", &Settings::h2d_gbps, 1e-6},
    {"d2h_gbps", &Settings::d2h_gbps, 1e-6},
    {"pageable_gbps", &Settings::pageable_gbps, 1e-6},
    {"d2d_gbps", &Settings::d2d_gbps, 1e-6},
    {"p2p_gbps", &Settings::p2p_gbps, 1e-6},
    {"host_alloc_gbps", &Settings::host_alloc_gbps, 1e-6},
    {"devices", &Settings::devices, 0},
    {"memory_gb", &Settings::memory_gb, 0.001},
    {"count", &Settings::count, 0},
    {"queue", &Settings::queue, 1},
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
