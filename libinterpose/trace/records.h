// The records as structs with encode and decode, generated from records.def. Header-only, no
// allocation. A record on the wire: tag byte, payload length (varint), payload. See FORMAT.md.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "libinterpose/trace/coding.h"
#include "libinterpose/trace/format.h"

namespace gpustall::trace {

enum class Tag : uint8_t {
#define GPUSTALL_RECORD(name, tag) name = tag,
#include "libinterpose/trace/records.def"
#undef GPUSTALL_RECORD
};

// What a chunk's decoder and encoder carry from record to record; starts at the chunk header's
// bases.
struct Running {
  int64_t time = 0;
  uint64_t correlation = 0;
};

// The structs: U, D, C -> uint64_t; S, T -> int64_t; B -> string_view into memory that the caller
// owns.
#define GPUSTALL_TYPE_U uint64_t
#define GPUSTALL_TYPE_S int64_t
#define GPUSTALL_TYPE_T int64_t
#define GPUSTALL_TYPE_D uint64_t
#define GPUSTALL_TYPE_C uint64_t
#define GPUSTALL_TYPE_B std::string_view
#define GPUSTALL_MEMBER(kind, name) GPUSTALL_TYPE_##kind name{};
#define GPUSTALL_RECORD(name, tag)          \
  struct name {                             \
    static constexpr Tag kTag = Tag::name;  \
    GPUSTALL_FIELDS_##name(GPUSTALL_MEMBER) \
  };
#include "libinterpose/trace/records.def"
#undef GPUSTALL_RECORD
#undef GPUSTALL_MEMBER

namespace detail {

// Arithmetic on wire values wraps: damaged input must not be undefined behaviour.
inline int64_t add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
inline int64_t sub(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

// Collects a record's integer fields in wire form, so that trailing zeros can be left out.
struct Packer {
  Running run;
  uint64_t values[16];
  unsigned count = 0, used = 0;
  std::string_view tail;

  void put(uint64_t v) {
    values[count++] = v;
    if (v != 0) used = count;
  }
  void U(uint64_t v) { put(v); }
  void S(int64_t v) { put(zigzag(v)); }
  void T(int64_t v) {
    put(zigzag(sub(v, run.time)));
    run.time = v;
  }
  void D(uint64_t v) {
    put(v);
    run.time = add(run.time, static_cast<int64_t>(v));
  }
  void C(uint64_t v) {
    if (v == 0) return put(0);
    put(1 + zigzag(static_cast<int64_t>(v - run.correlation)));
    run.correlation = v;
  }
  void B(std::string_view v) {
    tail = v;
    if (!v.empty()) used = count;
  }
};

// Reading decodes millions of these in a row: a call per field would double its cost.
#define GPUSTALL_INLINE [[gnu::always_inline]] inline
struct Unpacker {
  Running run;
  Reader in;

  GPUSTALL_INLINE uint64_t get() { return in.empty() ? 0 : in.varint(); }
  GPUSTALL_INLINE void U(uint64_t& v) { v = get(); }
  GPUSTALL_INLINE void S(int64_t& v) { v = unzigzag(get()); }
  GPUSTALL_INLINE void T(int64_t& v) { run.time = v = add(run.time, unzigzag(get())); }
  GPUSTALL_INLINE void D(uint64_t& v) {
    v = get();
    run.time = add(run.time, static_cast<int64_t>(v));
  }
  GPUSTALL_INLINE void C(uint64_t& v) {
    const uint64_t w = get();
    v = w == 0 ? 0 : (run.correlation += static_cast<uint64_t>(unzigzag(w - 1)));
  }
  void B(std::string_view& v) {
    v = {reinterpret_cast<const char*>(in.at()), in.left()};
    in.skip(in.left());
  }
};
#undef GPUSTALL_INLINE

inline unsigned varint_size(uint64_t v) {
  unsigned n = 1;
  for (; v >= 0x80; v >>= 7) ++n;
  return n;
}

}  // namespace detail

// Appends the record; false when it does not fit (nothing is written then, `run` is unchanged).
template <typename Record>
bool encode(const Record& r, Running& run, Writer& out) noexcept;
// Reads the payload of one record of this type; false when it is damaged. `run` advances in any
// case.
template <typename Record>
bool decode(std::string_view payload, Running& run, Record& r) noexcept;

// The common tail of encode: tag, length, fields.
inline bool write_packed(Tag tag, const detail::Packer& p, Running& run, Writer& out) noexcept {
  size_t length = p.tail.size();
  for (unsigned i = 0; i < p.used; ++i) length += detail::varint_size(p.values[i]);
  Writer probe = out;
  probe.byte(static_cast<uint8_t>(tag));
  probe.varint(length);
  for (unsigned i = 0; i < p.used; ++i) probe.varint(p.values[i]);
  probe.bytes(p.tail.data(), p.tail.size());
  if (!probe.ok()) return false;
  out = probe;
  run = p.run;
  return true;
}

#define GPUSTALL_PACK(kind, name) p.kind(r.name);
#define GPUSTALL_UNPACK(kind, name) u.kind(r.name);
#define GPUSTALL_RECORD(name, tag)                                                       \
  template <>                                                                            \
  inline bool encode<name>(const name& r, Running& run, Writer& out) noexcept {          \
    detail::Packer p{run, {}, 0, 0, {}};                                                 \
    GPUSTALL_FIELDS_##name(GPUSTALL_PACK) return write_packed(Tag::name, p, run, out);   \
  }                                                                                      \
  template <>                                                                            \
  inline bool decode<name>(std::string_view payload, Running & run, name & r) noexcept { \
    const auto* begin = reinterpret_cast<const uint8_t*>(payload.data());                \
    detail::Unpacker u{run, Reader(begin, begin + payload.size())};                      \
    GPUSTALL_FIELDS_##name(GPUSTALL_UNPACK) run = u.run;                                 \
    return u.in.ok();                                                                    \
  }
#include "libinterpose/trace/records.def"
#undef GPUSTALL_RECORD
#undef GPUSTALL_PACK
#undef GPUSTALL_UNPACK

// One record's frame: tag and payload; false at the end or at damage (then in.ok() is false).
inline bool next_record(Reader& in, uint8_t& tag, std::string_view& payload) noexcept {
  if (in.empty()) return false;
  tag = in.byte();
  const uint64_t length = in.varint();
  if (!in.ok() || length > in.left()) {
    in.skip(in.left() + 1);
    return false;
  }
  payload = {reinterpret_cast<const char*>(in.at()), static_cast<size_t>(length)};
  in.skip(static_cast<size_t>(length));
  return true;
}

}  // namespace gpustall::trace
