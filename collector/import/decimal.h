// Decimal text to integers, exactly. Never through a double: microseconds since 1970 with three
// decimals have 19 digits, and a double keeps 15.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace gpustall::collect {

// The number times 10^scale, rounded half away from zero; none if it is no number or does not fit.
std::optional<int64_t> parse_decimal(std::string_view text, int scale);

// A whole number without sign, decimal or 0x..., as far as its digits go; none without any.
std::optional<uint64_t> parse_count(std::string_view text);

}  // namespace gpustall::collect
