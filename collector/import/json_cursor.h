// Steps over JSON text in memory without building anything. Texts it hands out point into the
// buffer. Every step fails at the end of the buffer (out_of_data) or at what is no JSON; it never
// reads behind the end, which must hold one zero byte. Nesting costs a counter, not the stack.
//
// Not simdjson: its structural index needs whole documents, and a window of an array has none. This
// walk looks at each byte once, skips strings eight and nested values 64 bytes at a time;
// test/bench/kineto_bench.cpp compares.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "collector/import/json_block.h"

namespace gpustall::collect {

class JsonCursor {
 public:
  JsonCursor(const char* at, const char* end) : at_(at), end_(end) {}

  const char* at() const { return at_; }
  bool out_of_data() const { return at_ >= end_; }

  // The next character that is not white space, without taking it; 0 at the end.
  char peek() {
    while (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t') ++at_;
    return *at_;
  }
  bool take(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }

  // The raw text between the quotes, escapes as they stand.
  bool string(std::string_view& raw) {
    if (!take('"')) return false;
    const char* from = at_;
    if (!to_quote()) return false;
    raw = {from, static_cast<size_t>(at_ - from)};
    ++at_;
    return true;
  }
  // A string's raw text, or a number or word as it stands; objects and arrays are skipped and give
  // an empty text.
  bool text(std::string_view& raw) {
    const char c = peek();
    if (c == '"') return string(raw);
    raw = {};
    if (c == '{' || c == '[') return skip_nested();
    const char* from = at_;
    while (is_scalar(*at_)) ++at_;
    raw = {from, static_cast<size_t>(at_ - from)};
    return at_ < end_ && at_ > from;  // the end of the buffer may have cut it
  }
  bool skip() {
    std::string_view ignored;
    return text(ignored);
  }
  // Over an object or array. `seen` is set if `first` and `second` stand next to each other
  // anywhere in it: a key that begins so may be there, others are not.
  bool skip_nested(char first, char second, bool& seen) {
    JsonNesting nesting;
    while (end_ - at_ >= JsonBlock::kBytes) {
      const JsonBlock block(at_);
      if (!seen) {
        const uint64_t firsts = block.equal(first);
        seen = firsts != 0 && ((firsts << 1 & block.equal(second)) != 0 ||
                               (firsts >> 63 != 0 && at_[JsonBlock::kBytes] == second));
      }
      if (const unsigned end = nesting.step(block); end != 0) return at_ += end, true;
      at_ += JsonBlock::kBytes;
    }
    for (; at_ < end_; ++at_) {
      seen = seen || (*at_ == first && at_[1] == second);
      if (nesting.step(*at_)) return ++at_, true;
    }
    return false;
  }

  // Calls member(key) for each member; it must take the value and return whether it could.
  template <typename Member>
  bool object(Member&& member) {
    if (!take('{')) return false;
    if (take('}')) return true;
    for (;;) {
      std::string_view key;
      if (!string(key) || !take(':') || !member(key)) return false;
      if (!take(',')) return take('}');
    }
  }
  template <typename Element>
  bool array(Element&& element) {
    if (!take('[')) return false;
    if (take(']')) return true;
    for (;;) {
      if (!element()) return false;
      if (!take(',')) return take(']');
    }
  }

 private:
  static bool is_scalar(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
           c == '+' || c == '.';
  }
  // Bytes of the word that equal `byte` have their top bit set in the result, up to the first such.
  static uint64_t equal_bytes(uint64_t word, unsigned char byte) {
    const uint64_t x = word ^ (0x0101010101010101ull * byte);
    return (x - 0x0101010101010101ull) & ~x & 0x8080808080808080ull;
  }
  // From inside a string to its closing quote.
  bool to_quote() {
    for (;;) {
      while (end_ - at_ >= 8) {
        uint64_t word;
        std::memcpy(&word, at_, 8);
        const uint64_t found = equal_bytes(word, '"') | equal_bytes(word, '\\');
        if (found != 0) {
          at_ += __builtin_ctzll(found) / 8;
          break;
        }
        at_ += 8;
      }
      while (at_ < end_ && *at_ != '"' && *at_ != '\\') ++at_;
      if (at_ >= end_) return false;
      if (*at_ == '"') return true;
      if (end_ - at_ < 3) return at_ = end_, false;
      at_ += 2;
    }
  }
  bool skip_nested() {
    bool ignored = true;  // so nothing is looked for
    return skip_nested(0, 0, ignored);
  }

  const char* at_;
  const char* end_;
};

// Escapes resolved, invalid UTF-8 replaced by '?': what may be stored and printed.
std::string clean_text(std::string_view raw);

}  // namespace gpustall::collect
