// Skipping 64 bytes at a time against skipping one at a time.
#include "collector/import/json_cursor.h"

#include <random>

#include "test/catch.h"

using gpustall::collect::JsonCursor;

namespace {

class RandomJson {
 public:
  explicit RandomJson(uint32_t seed) : random_(seed) {}

  std::string nested() {
    text_.clear();
    value(0);
    return text_;
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  void string() {
    static constexpr std::string_view kParts[] = {"Call", "a",    "C",    "{",  "}",       "[",
                                                  "]",    "\\\"", "\\\\", ", ", "\\u00e9", "name"};
    text_ += '"';
    for (unsigned n = below(9); n > 0; --n) text_ += kParts[below(std::size(kParts))];
    text_ += '"';
  }
  void value(unsigned depth) {
    const unsigned kind = depth == 0 ? below(2) : below(depth < 6 ? 5 : 3) + 2;
    if (kind == 2) return string();
    if (kind == 3) return void(text_ += std::to_string(below(100000)));
    if (kind == 4) return void(text_ += "null");
    const bool object = kind % 2 == 0;
    text_ += object ? '{' : '[';
    for (unsigned n = below(6), i = 0; i < n; ++i) {
      if (i > 0) text_ += below(2) == 0 ? "," : ", ";
      if (object) string(), text_ += ": ";
      value(depth + 1);
    }
    text_ += object ? '}' : ']';
  }
  std::mt19937 random_;
  std::string text_;
};

size_t length_of_first(std::string_view text) {
  bool in_string = false;
  for (size_t i = 0, depth = 0; i < text.size(); ++i) {
    if (in_string && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      in_string = !in_string;
    } else if (!in_string && (text[i] == '{' || text[i] == '[')) {
      ++depth;
    } else if (!in_string && (text[i] == '}' || text[i] == ']') && --depth == 0) {
      return i + 1;
    }
  }
  return 0;
}

}  // namespace

TEST_CASE("a nested value is skipped to its end, wherever blocks begin") {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    const std::string value = RandomJson(seed).nested();
    const std::string text = value + ", {\"next\": [\"Ca\"]}";
    CAPTURE(text);
    REQUIRE(length_of_first(text) == value.size());
    JsonCursor cursor(text.data(), text.data() + text.size());
    bool seen = false;
    REQUIRE(cursor.skip_nested('C', 'a', seen));
    CHECK(cursor.at() == text.data() + value.size());
    // What lies behind in the same block may count: the test is only whether it can be left out.
    if (value.find("Ca") != std::string::npos) CHECK(seen);
    if (text.find("Ca") > value.size() + 64) CHECK_FALSE(seen);
  }
}

TEST_CASE("a nested value that is cut is out of data") {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    const std::string value = RandomJson(seed).nested();
    for (size_t size = 1; size < value.size(); ++size) {
      const std::string cut = value.substr(0, size);
      CAPTURE(cut);
      JsonCursor cursor(cut.data(), cut.data() + cut.size());
      CHECK_FALSE(cursor.skip());
      CHECK(cursor.out_of_data());
    }
  }
}
