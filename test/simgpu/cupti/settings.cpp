// Parses GPUSTALL_SIM_CUPTI. Owns the one copy of the settings; nothing changes them after the
// load.
#include "settings.h"

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace simgpu::cupti {
namespace {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kDefaultLateMs = 50;

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const size_t end = text.find(separator);
    const std::string_view part = text.substr(0, end);
    if (!part.empty()) parts.emplace_back(part);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return parts;
}

template <typename T>
bool number(std::string_view text, T* out) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), *out);
  return result.ec == std::errc() && result.ptr == text.data() + text.size() && *out >= 0;
}

bool milliseconds(std::string_view text, int64_t* ns) {
  int64_t ms = 0;
  if (!number(text, &ms)) return false;
  *ns = ms * kMs;
  return true;
}

bool apply(const std::string& key, const std::string& value, Settings* s) {
  if (key == "version") return (s->version = value, !value.empty());
  if (key == "missing") return (s->missing = split(value, ':'), !s->missing.empty());
  if (key == "subscribe") return number(value, &s->subscribe_error);
  if (key == "drop") return number(value, &s->drop_every);
  if (key == "zero") return number(value, &s->zero_every);
  if (key == "garbage") return number(value, &s->garbage_every);
  if (key == "crash") return number(value, &s->crash_at);
  if (key == "storm") return number(value, &s->storm);
  if (key == "slow_flush_ms") return milliseconds(value, &s->slow_flush_ns);
  if (key == "shuffle") return (s->shuffle = true, value.empty());
  if (key == "late") {
    if (value.empty()) return (s->late_ns = kDefaultLateMs * kMs, true);
    return milliseconds(value, &s->late_ns);
  }
  return false;
}

const Settings* from_environment() {
  std::string error;
  const char* text = std::getenv("GPUSTALL_SIM_CUPTI");
  const Settings parsed = parse_settings(text == nullptr ? "" : text, &error);
  if (!error.empty()) {
    std::fprintf(stderr,
                 "simgpu libcupti: GPUSTALL_SIM_CUPTI: %s; see test/simgpu/cupti/README.md\n",
                 error.c_str());
    std::abort();
  }
  return new Settings(parsed);  // lives as long as the process
}

// A pointer, so that a test can change the settings under the running worker thread.
std::atomic<const Settings*>& current() {
  static std::atomic<const Settings*> pointer{from_environment()};
  return pointer;
}

}  // namespace

Settings parse_settings(const char* text, std::string* error) {
  Settings result;
  for (const std::string& item : split(text, ',')) {
    const size_t equals = item.find('=');
    const std::string key = item.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : item.substr(equals + 1);
    if (!apply(key, value, &result)) *error = "cannot use '" + item + "'";
  }
  return result;
}

const Settings& settings() {
  return *current().load(std::memory_order_acquire);
}

void replace_settings_for_test(const Settings& value) {
  current() = new Settings(value);
}

}  // namespace simgpu::cupti
