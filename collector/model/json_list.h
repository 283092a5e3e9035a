// A vector as a JSON list, element by element; keys keep the order in which they are written.
#pragma once
#include <nlohmann/json.hpp>
#include <vector>

namespace gpustall::collect {

template <typename T, typename Write>
nlohmann::ordered_json list_of(const std::vector<T>& values, Write write) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const T& value : values) list.push_back(write(value));
  return list;
}

}  // namespace gpustall::collect
