// Catch2 of either major version: Debian 12 ships v2, newer systems v3.
#pragma once
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
namespace gpustall::test {
inline auto contains(const std::string& text) {
  return Catch::Matchers::ContainsSubstring(text);
}
}  // namespace gpustall::test
#else
#include <catch2/catch.hpp>
namespace gpustall::test {
inline auto contains(const std::string& text) {
  return Catch::Contains(text);
}
}  // namespace gpustall::test
#endif
