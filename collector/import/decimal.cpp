#include "collector/import/decimal.h"

#include <algorithm>
#include <limits>
#include <string>

namespace gpustall::collect {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

struct Digits {
  uint64_t value = 0;
  bool overflow = false;
  void push(unsigned digit) {
    constexpr uint64_t kSafe = std::numeric_limits<uint64_t>::max() / 10;
    if (value >= kSafe && (value > kSafe || digit > 5)) [[unlikely]]
      overflow = true;
    else
      value = value * 10 + digit;
  }
};
static_assert(std::numeric_limits<uint64_t>::max() % 10 == 5);

// The exponent's text behind 'e'; huge ones are all alike.
std::optional<int> exponent_of(std::string_view text) {
  bool negative = false;
  size_t i = 0;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) negative = text[i++] == '-';
  if (i == text.size()) return {};
  int value = 0;
  for (; i < text.size(); ++i) {
    if (!is_digit(text[i])) return {};
    value = std::min(value * 10 + (text[i] - '0'), 10'000);
  }
  return negative ? -value : value;
}

std::optional<int64_t> with_sign(uint64_t value, bool negative) {
  if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return {};
  return negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
}

// General form: the digits are counted first, since an exponent moves the place of rounding.
std::optional<int64_t> scaled(std::string_view digits, int point, bool negative) {
  Digits out;
  for (int i = 0; i < point && !out.overflow; ++i) {
    const bool there = i >= 0 && static_cast<size_t>(i) < digits.size();
    if (!there && out.value == 0) break;
    out.push(there ? static_cast<unsigned>(digits[static_cast<size_t>(i)] - '0') : 0);
  }
  if (out.overflow) return {};
  const bool half = point >= 0 && static_cast<size_t>(point) < digits.size() &&
                    digits[static_cast<size_t>(point)] >= '5';
  return with_sign(out.value + (half ? 1 : 0), negative);
}

}  // namespace

std::optional<int64_t> parse_decimal(std::string_view text, int scale) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  size_t i = 0;
  Digits whole;
  while (i < text.size() && is_digit(text[i])) whole.push(static_cast<unsigned>(text[i++] - '0'));
  const size_t whole_digits = i;
  size_t fraction = 0;
  if (i < text.size() && text[i] == '.') {
    const size_t from = ++i;
    while (i < text.size() && is_digit(text[i])) ++i;
    fraction = i - from;
  }
  if (whole_digits + fraction == 0) return {};
  int exponent = 0;
  if (i < text.size()) {
    if (text[i] != 'e' && text[i] != 'E') return {};
    const std::optional<int> value = exponent_of(text.substr(i + 1));
    if (!value) return {};
    exponent = *value;
  } else if (static_cast<int>(fraction) <= scale && !whole.overflow) {  // nearly always
    for (size_t k = 0; k < fraction; ++k)
      whole.push(static_cast<unsigned>(text[whole_digits + 1 + k] - '0'));
    for (int k = static_cast<int>(fraction); k < scale; ++k) whole.push(0);
    if (whole.overflow) return {};
    return with_sign(whole.value, negative);
  }
  std::string digits(text.substr(0, whole_digits));
  if (fraction > 0) digits += text.substr(whole_digits + 1, fraction);
  const size_t zeros = std::min(digits.find_first_not_of('0'), digits.size());
  if (zeros == digits.size()) return 0;
  digits.erase(0, zeros);
  return scaled(digits, static_cast<int>(whole_digits - zeros) + scale + exponent, negative);
}

std::optional<uint64_t> parse_count(std::string_view text) {
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  uint64_t value = 0;
  size_t i = 0;
  for (; i < text.size() && i < (hex ? 16 : 19); ++i) {
    const char c = text[i];
    if (is_digit(c))
      value = value * (hex ? 16 : 10) + static_cast<uint64_t>(c - '0');
    else if (hex && (c | 0x20) >= 'a' && (c | 0x20) <= 'f')
      value = value * 16 + static_cast<uint64_t>((c | 0x20) - 'a' + 10);
    else
      break;
  }
  if (i == 0) return {};
  return value;
}

}  // namespace gpustall::collect
