// Reading of JSON objects: what is missing or null keeps its default, what has the wrong type
// throws.
#pragma once
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "collector/cause.h"

namespace gpustall::collect {

using Json = nlohmann::json;

template <typename T>
void take(const Json& j, const char* key, T& value) {
  const auto at = j.find(key);
  if (at != j.end() && !at->is_null()) at->get_to(value);
}

template <typename T, typename Read>
void take_list(const Json& j, const char* key, std::vector<T>& values, Read read) {
  const auto at = j.find(key);
  if (at == j.end() || at->is_null()) return;
  if (!at->is_array()) throw std::runtime_error(std::string("'") + key + "' is not a list");
  for (const Json& item : *at) values.push_back(read(item));
}

inline Cause cause_named(const std::string& id) {
  for (unsigned c = 0; c < kCauseCount; ++c)
    if (kCauses[c].id == id) return static_cast<Cause>(c);
  throw std::runtime_error("unknown cause '" + id + "'");
}

inline Cause read_cause(const Json& j) {
  return cause_named(j.get<std::string>());
}

}  // namespace gpustall::collect
