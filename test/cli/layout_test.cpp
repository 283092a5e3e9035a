// Rounding, tables, wrapping, and how files are shown.
#include <numeric>

#include "test/catch.h"
#include "viewer-cli/render/places.h"
#include "viewer-cli/render/table.h"
#include "viewer-cli/render/units.h"

using namespace gpustall::cli;

TEST_CASE("parts rounded together add up to their rounded sum") {
  const std::vector<std::vector<double>> cases = {
      {1.4, 1.4, 1.4}, {0.5, 0.5, 0.5, 0.5}, {33.333, 33.333, 33.334}, {}, {0}, {1e9 + 0.49, 0.49}};
  for (const std::vector<double>& parts : cases) {
    const auto rounded = round_together(parts, 1);
    const double sum = std::accumulate(parts.begin(), parts.end(), 0.0);
    CHECK(std::accumulate(rounded.begin(), rounded.end(), int64_t{0}) == std::llround(sum));
    for (size_t i = 0; i < parts.size(); ++i) {
      CHECK(std::abs(static_cast<double>(rounded[i]) - parts[i]) < 1);
    }
  }
}

TEST_CASE("times have three significant digits and a unit") {
  CHECK(duration(0) == "0 ns");
  CHECK(duration(999) == "999 ns");
  CHECK(duration(1234) == "1.23 us");
  CHECK(duration(99.96e6) == "100 ms");
  CHECK(duration(1.731e9) == "1.73 s");
  CHECK(grouped(0) == "0");
  CHECK(grouped(1234567) == "1,234,567");
}

TEST_CASE("a table gives way in one column only") {
  Table table({{"n", Align::Right, false}, {"text", Align::Left, true}, {"", Align::Left, false}});
  table.add({"1", "a rather long text that does not fit", "train.py:88"});
  table.add({"22", "short", ""});
  const auto lines = table.lines(40);
  CHECK(lines[0] == "  n  text");
  CHECK(lines[1] == "  1  a rather long text...   train.py:88");
  CHECK(lines[2] == " 22  short");
  CHECK(table.lines(25)[1] == "  1  train.py:88");
  CHECK(table.lines(200)[1] == "  1  a rather long text that does not fit  train.py:88");
}

TEST_CASE("columns without any cell are left out") {
  Table table({{"a", Align::Left, false}, {"b", Align::Left, false}});
  table.add({"x", ""});
  CHECK(table.lines(80)[0] == " a");
}

TEST_CASE("text is cut between characters, not inside them") {
  CHECK(cut("\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4", 5) == "\u00e4\u00e4...");
  CHECK(cut("abc", 3) == "abc");
  CHECK(display_width("\u00e4b") == 2);
}

TEST_CASE("control characters become question marks") {
  CHECK(printable("a\x1b[31m\n\t\x7f") == "a?[31m???");
  CHECK(printable("\xc2\x9b"
                  "1m \u00e4") == "?1m \u00e4");
}

TEST_CASE("characters that would move the figures beside a name become question marks") {
  for (const char* mark :
       {"\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202e", "\u2066", "\u2069"})
    CHECK(printable(std::string("a") + mark + "b") == "a?b");
  for (const char* text :
       {"\u061b", "\u05d0\u0627", "\u200d", "\u2027", "\u202f", "\u2065", "\u206a", "\u2192"})
    CHECK(printable(text) == text);
}

TEST_CASE("a quantity has three significant digits and no exponent") {
  CHECK(quantity(0.99849) == "0.998");
  CHECK(quantity(51.44) == "51.4");
  CHECK(quantity(999.4) == "999");
  CHECK(quantity(999.6) == "1,000");
  CHECK(quantity(5618) == "5,620");
  CHECK(quantity(1234567) == "1,230,000");
}

TEST_CASE("what has no file is shown as its function alone") {
  const Places places({"/home/u/p/train.py"});
  CHECK(places.frame("/home/u/p/train.py:3 main") == "train.py:3 main");
  CHECK(places.frame(":0 [truncated]") == "[truncated]");
  CHECK(places.frame(":0 FSDP::pre_forward (blocks.6)") == "FSDP::pre_forward (blocks.6)");
}

TEST_CASE("words wrap at the width and keep the indent") {
  CHECK(wrapped("one two three four", 9, 2) == "one two\n  three\n  four");
  CHECK(wrapped("", 10, 0).empty());
  CHECK(wrapped("averyveryverylongword x", 5, 0) == "averyveryverylongword\nx");
}

TEST_CASE("files are shown from the folder that all share, packages from their name") {
  const Places places({"/home/u/p/train.py", "/home/u/p/utils/mem.py",
                       "/usr/lib/python3.11/threading.py",
                       "/v/lib/python3.11/site-packages/torch/optim/adamw.py"});
  CHECK(places.file("/home/u/p/train.py") == "train.py");
  CHECK(places.file("/home/u/p/utils/mem.py") == "utils/mem.py");
  CHECK(places.file("/v/lib/python3.11/site-packages/torch/optim/adamw.py") ==
        "torch/optim/adamw.py");
  CHECK(places.file("/usr/lib/python3.11/threading.py") == "threading.py");
  CHECK(places.file("/elsewhere/x.py") == "/elsewhere/x.py");
  CHECK(places.file("train.py") == "train.py");
  CHECK(Places(std::vector<std::string>{"/a/x.py", "/b/y.py"}).file("/a/x.py") == "/a/x.py");
  CHECK(places.where({}) == "-");
}
