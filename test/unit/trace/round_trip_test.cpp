// The one test that joins the product's encoder to its decoder, and both to the builder: every
// record kind, with values at the edges.
#include <random>

#include "libinterpose/trace/records.h"
#include "test/catch.h"

using namespace gpustall;

namespace {

std::mt19937_64 g_random(7);

// Mostly small, sometimes huge, as in traces.
uint64_t number() {
  const unsigned bits = static_cast<unsigned>(g_random() % 65);
  return bits == 0 ? 0 : g_random() >> (64 - bits);
}
void fill(uint64_t& v) {
  v = number();
}
void fill(int64_t& v) {
  v = static_cast<int64_t>(number());
}
void fill(std::string_view& v) {
  v = std::string_view("abc\0def", g_random() % 8);
}
// A correlation whose difference to the one before is the lowest int64 cannot be coded: ids that
// far apart do not occur.
constexpr uint64_t kCorrelations = uint64_t{1} << 62;

template <typename Record>
struct Fields;
#define GPUSTALL_FILL(kind, name) fill_##kind(r.name);
#define GPUSTALL_SAME(kind, name) &&a.name == b.name
#define GPUSTALL_RECORD(name, tag)                                    \
  template <>                                                         \
  struct Fields<trace::name> {                                        \
    static void fill_U(uint64_t& v) { fill(v); }                      \
    static void fill_S(int64_t& v) { fill(v); }                       \
    static void fill_T(int64_t& v) { fill(v); }                       \
    static void fill_D(uint64_t& v) { fill(v); }                      \
    static void fill_C(uint64_t& v) { v = number() % kCorrelations; } \
    static void fill_B(std::string_view& v) { fill(v); }              \
    static trace::name make() {                                       \
      trace::name r;                                                  \
      GPUSTALL_FIELDS_##name(GPUSTALL_FILL) return r;                 \
    }                                                                 \
    static bool same(const trace::name& a, const trace::name& b) {    \
      return true GPUSTALL_FIELDS_##name(GPUSTALL_SAME);              \
    }                                                                 \
  };
#include "libinterpose/trace/records.def"
#undef GPUSTALL_RECORD
#undef GPUSTALL_FILL
#undef GPUSTALL_SAME

template <typename Record>
void check_round_trip() {
  INFO("tag " << static_cast<int>(Record::kTag));
  uint8_t buffer[512];
  trace::Running writing, reading;
  for (int i = 0; i < 500; ++i) {
    const Record record = Fields<Record>::make();
    trace::Writer out(buffer, buffer + sizeof buffer);
    REQUIRE(trace::encode(record, writing, out));
    trace::Reader in(buffer, buffer + out.size());
    uint8_t tag = 0;
    std::string_view payload;
    REQUIRE(trace::next_record(in, tag, payload));
    REQUIRE(tag == static_cast<uint8_t>(Record::kTag));
    Record back;
    REQUIRE(trace::decode(payload, reading, back));
    REQUIRE(Fields<Record>::same(record, back));
    REQUIRE(writing.time == reading.time);
    REQUIRE(writing.correlation == reading.correlation);
    REQUIRE(in.empty());
  }
}

}  // namespace

TEST_CASE("every record survives encoding and decoding") {
#define GPUSTALL_RECORD(name, tag) check_round_trip<trace::name>();
#include "libinterpose/trace/records.def"
#undef GPUSTALL_RECORD
}

TEST_CASE("a record that does not fit writes nothing and keeps the running values") {
  uint8_t buffer[6];
  trace::Running run{1'000, 5};
  trace::Writer out(buffer, buffer + sizeof buffer);
  trace::Api api;
  api.call = 1;
  api.start = 100'000'000;
  api.correlation = 900;
  CHECK_FALSE(trace::encode(api, run, out));
  CHECK(out.size() == 0);
  CHECK(run.time == 1'000);
  CHECK(run.correlation == 5);
}

TEST_CASE("a varint of more than ten bytes is damage, not a loop") {
  const uint8_t bytes[12] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                             0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
  trace::Reader in(bytes, bytes + sizeof bytes);
  in.varint();
  CHECK_FALSE(in.ok());
}
