// Checks of option values whose complaints people can read; CLI11's own print type limits.
#pragma once
#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

namespace gpustall::cli {

// A whole number, at least `least`.
CLI::Validator whole_number(uint64_t least);
// A number of percent, say, not negative.
CLI::Validator amount();
// A number of seconds, at most 1e6: what counts in nanoseconds must not overflow.
CLI::Validator seconds_amount();

// One of the words; the value becomes the number of its enumerator. Use with transform().
template <typename Enum>
CLI::Validator one_of(std::vector<std::pair<std::string, Enum>> words) {
  return CLI::Validator(
      [words](std::string& text) {
        std::string known;
        for (const auto& [word, value] : words) {
          known += (known.empty() ? "" : ", ") + word;
          if (text != word) continue;
          text = std::to_string(static_cast<int>(value));
          return std::string{};
        }
        return "'" + text + "' is none of " + known;
      },
      "");
}

}  // namespace gpustall::cli
