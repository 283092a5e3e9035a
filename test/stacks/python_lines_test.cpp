// Line tables: the shapes of the three generations, and that damage never reads outside.
#include "collector/read/python_lines.h"

#include <string>

#include "test/catch.h"

using gpustall::collect::line_of;

namespace {

std::string bytes(std::initializer_list<int> values) {
  std::string out;
  for (const int v : values) out.push_back(static_cast<char>(v));
  return out;
}

}  // namespace

TEST_CASE("lnotab before 3.10 steps by pairs, lines may go back") {
  // 0: line 10; 6: 11; 8: 9 (step -2); 8+255+45: 9+127+1
  const std::string table = bytes({6, 1, 2, 0xfe, 255, 0, 45, 127, 0, 1});
  CHECK(line_of(0x03080000, 10, table, 0) == 10);
  CHECK(line_of(0x03090000, 10, table, 5) == 10);
  CHECK(line_of(0x03090000, 10, table, 6) == 11);
  CHECK(line_of(0x03090000, 10, table, 8) == 9);
  CHECK(line_of(0x03090000, 10, table, 307) == 9);
  CHECK(line_of(0x03090000, 10, table, 308) == 137);
  CHECK(line_of(0x03090000, 10, table, 100000) == 137);
}

TEST_CASE("3.10 tables end entries, skip empty ones and keep the line where there is none") {
  // [0,4): 10; [4,4): 15, empty; [4,8): none (-128), so 15; [8,12): 16
  const std::string table = bytes({4, 0, 0, 5, 4, 0x80, 4, 1});
  CHECK(line_of(0x030a0000, 10, table, 0) == 10);
  CHECK(line_of(0x030a0000, 10, table, 4) == 15);
  CHECK(line_of(0x030a0000, 10, table, 8) == 16);
  CHECK(line_of(0x030a0000, 10, table, 12) == 0);
  CHECK(line_of(0x030a0000, 10, table, -2) == 10);
}

TEST_CASE("location tables of 3.11 and later know all kinds of entries") {
  // heads: 0x80 | kind << 3 | units - 1
  const std::string table = bytes({0x80 | 0 << 3 | 1, 0x12,               // [0,4): 10, short
                                   0x80 | 11 << 3 | 0, 3, 9,              // [4,6): 11, one line
                                   0x80 | 13 << 3 | 0, 0x40 | 0, 2,       // [6,8): 11 + 64 = 75
                                   0x80 | 15 << 3 | 0,                    // [8,10): none, so 75
                                   0x80 | 14 << 3 | 7, 5, 1, 0x41, 1, 2,  // [10,26): 75 - 2 = 73
                                   0x80 | 12 << 3 | 0, 0, 0});            // [26,28): 75
  for (const uint32_t version : {0x030b0000u, 0x030c0100u, 0x030d0000u, 0x030e0000u}) {
    CHECK(line_of(version, 10, table, 0) == 10);
    CHECK(line_of(version, 10, table, 3) == 10);
    CHECK(line_of(version, 10, table, 4) == 11);
    CHECK(line_of(version, 10, table, 6) == 75);
    CHECK(line_of(version, 10, table, 8) == 75);
    CHECK(line_of(version, 10, table, 10) == 73);
    CHECK(line_of(version, 10, table, 25) == 73);
    CHECK(line_of(version, 10, table, 26) == 75);
    CHECK(line_of(version, 10, table, 28) == 0);
  }
}

TEST_CASE("a table cut at any byte gives the true line or none") {
  const std::string table =
      bytes({0x81, 0x12, 0xd8, 3, 9, 0xe8, 0x40, 2, 0xf8, 0xf7, 5, 1, 0x41, 1, 2, 0xe0, 0, 0});
  for (size_t length = 0; length < table.size(); ++length) {
    const std::string cut(table.data(),
                          length);  // its own allocation, so that sanitizers see overreads
    for (int position = 0; position < 40; ++position) {
      const int whole = line_of(0x030b0000, 10, table, position);
      const int part = line_of(0x030b0000, 10, cut, position);
      CHECK((part == 0 || part == whole));
    }
  }
}

TEST_CASE("damaged tables of every version give some line or none, and never overflow") {
  std::string noise;
  uint32_t random = 1;
  for (int i = 0; i < 4000; ++i) {
    noise.push_back(static_cast<char>(random >> 24));
    random = random * 1664525 + 1013904223;
    const std::string own = noise.substr(noise.size() / 2);
    for (const uint32_t version : {0x03080000u, 0x030a0000u, 0x030b0000u})
      CHECK(line_of(version, 0x7ffffff0, own, i * 7) >= 0);
  }
  CHECK(line_of(0, 10, noise, 0) == 0);
  CHECK(line_of(0x02070000, 10, noise, 0) == 0);
}
