// 64 bytes of JSON text at once: which of them are brackets outside of strings. The idea, and that
// a prefix of exclusive ors tells strings from what lies between them, is simdjson's first stage.
#pragma once
#include <bit>
#include <cstdint>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace gpustall::collect {

class JsonBlock {
 public:
  static constexpr int kBytes = 64;
  explicit JsonBlock(const char* at) : at_(at) {}

  // Bit i is set where byte i is c.
  uint64_t equal(char c) const {
    return masks([c](auto block) { return block.equal(c); });
  }
  // Where a bracket of either kind opens or closes, inside of strings as well.
  uint64_t opening() const {
    return masks([](auto block) { return block.folded().equal('{'); });
  }
  uint64_t closing() const {
    return masks([](auto block) { return block.folded().equal('}'); });
  }
  char operator[](unsigned i) const { return at_[i]; }

 private:
#if defined(__SSE2__)
  struct Part {
    static constexpr int kBytes = 16;
    __m128i bytes;
    explicit Part(const char* at) : bytes(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at))) {}
    explicit Part(__m128i b) : bytes(b) {}
    uint64_t equal(char c) const {
      return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(c))));
    }
    Part folded() const { return Part(_mm_or_si128(bytes, _mm_set1_epi8(0x20))); }
  };
#else
  struct Part {
    static constexpr int kBytes = 1;
    char byte;
    explicit Part(const char* at) : byte(*at) {}
    explicit Part(char b) : byte(b) {}
    uint64_t equal(char c) const { return byte == c ? 1 : 0; }
    Part folded() const { return Part(static_cast<char>(byte | 0x20)); }  // '[' becomes '{'
  };
#endif
  template <typename Mask>
  uint64_t masks(Mask&& mask) const {
    uint64_t all = 0;
    for (int i = 0; i < kBytes; i += Part::kBytes) all |= mask(Part(at_ + i)) << i;
    return all;
  }
  const char* at_;
};

// Follows the nesting from an opening bracket on. The two kinds of brackets are not told apart.
class JsonNesting {
 public:
  // 0, or how many bytes of the block belong to the value, which ends in it.
  unsigned step(const JsonBlock& block) {
    if (escaped_ || block.equal('\\') != 0) return step_each(block);
    uint64_t inside = block.equal('"');
    for (int shift = 1; shift < JsonBlock::kBytes; shift *= 2) inside ^= inside << shift;
    if (in_string_) inside = ~inside;
    in_string_ = inside >> 63 != 0;
    const uint64_t open = block.opening() & ~inside;
    for (uint64_t left = open | (block.closing() & ~inside); left != 0; left &= left - 1) {
      const int at = std::countr_zero(left);
      if ((open >> at & 1) != 0)
        ++depth_;
      else if (--depth_ == 0)
        return static_cast<unsigned>(at) + 1;
    }
    return 0;
  }
  // Whether this byte is the value's last.
  bool step(char c) {
    if (in_string_) {
      if (!escaped_ && c == '"') in_string_ = false;
      escaped_ = !escaped_ && c == '\\';
      return false;
    }
    if (c == '"') in_string_ = true;
    if (c == '{' || c == '[') ++depth_;
    return (c == '}' || c == ']') && --depth_ == 0;
  }

 private:
  unsigned step_each(const JsonBlock& block) {
    for (unsigned i = 0; i < JsonBlock::kBytes; ++i)
      if (step(block[i])) return i + 1;
    return 0;
  }

  uint64_t depth_ = 0;
  bool in_string_ = false, escaped_ = false;
};

}  // namespace gpustall::collect
