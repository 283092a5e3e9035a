// Pieces of JSON appended to a text: the exports are streams, no document is ever built.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace gpustall::cli {

// What is no UTF-8 becomes U+FFFD: names in traces may hold any bytes.
std::string valid_utf8(std::string_view text);

// In quotes, escaped. `text` must be UTF-8.
void append_quoted(std::string& out, std::string_view text);
std::string json_quoted(std::string_view text);

void append_number(std::string& out, int64_t number);
// Microseconds with three decimals: digit by digit, since a double has no room for them.
void append_us(std::string& out, int64_t ns);

// ,"key":number and ,"key":"text"; `key` needs no escaping. An empty text is left out.
void append_member(std::string& out, std::string_view key, int64_t number);
void append_member(std::string& out, std::string_view key, std::string_view text);

}  // namespace gpustall::cli
