// Byte coding: bounds-checked varints. No allocation, no exceptions; a Writer that runs out of room
// and a Reader that meets damage turn `ok()` false and stay so, and never touch memory outside
// [begin, end).
#pragma once
#include <cstdint>
#include <cstring>

namespace gpustall::trace {

constexpr uint64_t zigzag(int64_t v) {
  return (static_cast<uint64_t>(v) << 1) ^ static_cast<uint64_t>(v >> 63);
}
constexpr int64_t unzigzag(uint64_t v) {
  return static_cast<int64_t>(v >> 1) ^ -static_cast<int64_t>(v & 1);
}

class Writer {
 public:
  Writer(uint8_t* begin, uint8_t* end) noexcept : begin_(begin), at_(begin), end_(end) {}

  void byte(uint8_t v) noexcept {
    if (at_ < end_)
      *at_++ = v;
    else
      ok_ = false;
  }
  void varint(uint64_t v) noexcept {
    while (v >= 0x80) {
      byte(static_cast<uint8_t>(v) | 0x80);
      v >>= 7;
    }
    byte(static_cast<uint8_t>(v));
  }
  void bytes(const void* data, size_t n) noexcept {
    if (static_cast<size_t>(end_ - at_) < n) {
      ok_ = false;
      return;
    }
    if (n != 0) std::memcpy(at_, data, n);
    at_ += n;
  }
  bool ok() const noexcept { return ok_; }
  size_t size() const noexcept { return static_cast<size_t>(at_ - begin_); }
  uint8_t* at() const noexcept { return at_; }

 private:
  uint8_t *begin_, *at_, *end_;
  bool ok_ = true;
};

class Reader {
 public:
  Reader(const uint8_t* begin, const uint8_t* end) noexcept : at_(begin), end_(end) {}

  uint8_t byte() noexcept {
    if (at_ < end_) return *at_++;
    ok_ = false;
    return 0;
  }
  // Most values are small: one byte costs two compares.
  uint64_t varint() noexcept {
    if (at_ < end_ && *at_ < 0x80) return *at_++;
    return long_varint();
  }
  bool ok() const noexcept { return ok_; }
  bool empty() const noexcept { return at_ >= end_; }
  size_t left() const noexcept { return static_cast<size_t>(end_ - at_); }
  const uint8_t* at() const noexcept { return at_; }
  void skip(size_t n) noexcept {
    if (left() < n) {
      ok_ = false;
      at_ = end_;
    } else {
      at_ += n;
    }
  }

 private:
  uint64_t long_varint() noexcept {
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const uint8_t b = byte();
      v |= static_cast<uint64_t>(b & 0x7f) << shift;
      if ((b & 0x80) == 0) return v;
    }
    ok_ = false;  // more than ten bytes
    return 0;
  }

  const uint8_t *at_, *end_;
  bool ok_ = true;
};

}  // namespace gpustall::trace
