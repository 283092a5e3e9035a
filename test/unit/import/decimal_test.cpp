#include "collector/import/decimal.h"

#include "test/catch.h"

using gpustall::collect::parse_count;
using gpustall::collect::parse_decimal;

TEST_CASE("decimal microseconds become nanoseconds without loss") {
  CHECK(parse_decimal("1419247333291.708", 3) == 1419247333291708);
  CHECK(parse_decimal("1623142623460111", 3) == 1623142623460111000);
  CHECK(parse_decimal("1695835543008415.123", 3) == 1695835543008415123);
  CHECK(parse_decimal("0.001", 3) == 1);
  CHECK(parse_decimal(".5", 3) == 500);
  CHECK(parse_decimal("7.", 3) == 7000);
  CHECK(parse_decimal("-2.25", 3) == -2250);
  CHECK(parse_decimal("12.3456", 3) == 12346);
  CHECK(parse_decimal("12.3454999", 3) == 12345);
  CHECK(parse_decimal("0.00049", 3) == 0);
  CHECK(parse_decimal("0.0005", 3) == 1);
}

TEST_CASE("exponents move the point") {
  CHECK(parse_decimal("1.5e3", 3) == 1500000);
  CHECK(parse_decimal("1.5E+3", 0) == 1500);
  CHECK(parse_decimal("2500e-3", 3) == 2500);
  CHECK(parse_decimal("1.623142623460111e15", 3) == 1623142623460111000);
  CHECK(parse_decimal("1e-9", 3) == 0);
  CHECK(parse_decimal("0e999999999", 3) == 0);
}

TEST_CASE("what is no number, or does not fit, is none") {
  for (const char* text : {"", "-", ".", "e5", "1e", "1e+", "nan", "inf", "1x", "--1", "1.2.3",
                           "9223372036854775808", "99999999999999999999999", "1e300", "null"}) {
    INFO(text);
    CHECK_FALSE(parse_decimal(text, 3).has_value());
  }
}

TEST_CASE("counts are read in both bases") {
  CHECK(parse_count("42") == 42u);
  CHECK(parse_count("0x1f") == 31u);
  CHECK(parse_count("12abc") == 12u);
  CHECK_FALSE(parse_count("abc").has_value());
  CHECK_FALSE(parse_count("").has_value());
}
