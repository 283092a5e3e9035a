// A check returns its complaint; empty: fine.
#include "viewer-cli/option_checks.h"

#include <cerrno>
#include <cmath>
#include <cstdlib>

namespace gpustall::cli {

namespace {

bool is_amount(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' && std::isfinite(value) && value >= 0;
}

}  // namespace

CLI::Validator whole_number(uint64_t least) {
  return CLI::Validator(
      [least](std::string& text) {
        const bool digits =
            !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
        errno = 0;
        const uint64_t value = digits ? std::strtoull(text.c_str(), nullptr, 10) : 0;
        // Below 2^62 it fits every type that options are stored in.
        const bool good = digits && errno == 0 && value >= least && value >> 62 == 0;
        return good ? std::string{}
                    : "'" + text + "' is no whole number from " + std::to_string(least) + " on";
      },
      "");
}

CLI::Validator amount() {
  return CLI::Validator(
      [](std::string& text) {
        return is_amount(text) ? std::string{} : "'" + text + "' is no number from 0 on";
      },
      "");
}

CLI::Validator seconds_amount() {
  return CLI::Validator(
      [](std::string& text) {
        const bool good = is_amount(text) && std::strtod(text.c_str(), nullptr) <= 1e6;
        return good ? std::string{} : "'" + text + "' is no number of seconds from 0 to 1000000";
      },
      "");
}

}  // namespace gpustall::cli
