// From a code object's line table and a position in it to the source line; used after the run, by
// whoever reads Code and Frame records. Std headers only. The table comes from a trace and may be
// cut or damaged: every read is bounded, nothing is thrown, and an answer that the table does not
// give is 0.
//
// `position` is a byte offset into the instruction stream; negative = the frame had not started.
#pragma once
#include <cstdint>
#include <string_view>

namespace gpustall::collect {

namespace python_lines {

// Line numbers are 32 bits wide in CPython; damaged deltas must not overflow in ours.
inline int clamp_line(int64_t line) {
  return line < 0 || line > 0x7fffffff ? 0 : static_cast<int>(line);
}

// CPython <= 3.9, co_lnotab: pairs (address step, signed line step). The last entry reaches to the
// end of the code, so a cut table gives the last line before the cut.
inline int line_of_lnotab(int64_t line, std::string_view table, int64_t position) {
  int64_t address = 0;
  for (size_t i = 0; i + 1 < table.size(); i += 2) {
    address += static_cast<uint8_t>(table[i]);
    if (address > position) break;
    line += static_cast<int8_t>(table[i + 1]);
  }
  return clamp_line(line);
}

// CPython 3.10, co_linetable of PEP 626: pairs (length, signed line step); a step of -128 marks
// code without a line, where the line before it is the useful answer.
inline int line_of_pairs(int64_t line, std::string_view table, int64_t position) {
  int64_t end = 0;
  for (size_t i = 0; i + 1 < table.size(); i += 2) {
    const auto step = static_cast<int8_t>(table[i + 1]);
    end += static_cast<uint8_t>(table[i]);
    if (step != -128) line += step;
    if (end > position) return clamp_line(line);
  }
  return 0;
}

// The 6-bit groups of PEP 657, least significant first, 0x40 = more follow.
struct LocationReader {
  std::string_view table;
  size_t at = 0;
  bool ok = true;

  uint8_t byte() {
    if (at < table.size()) return static_cast<uint8_t>(table[at++]);
    ok = false;
    return 0;
  }
  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 36; shift += 6) {
      const uint8_t b = byte();
      value |= static_cast<uint64_t>(b & 0x3f) << shift;
      if ((b & 0x40) == 0) return value;
    }
    ok = false;
    return 0;
  }
  int64_t signed_varint() {
    const uint64_t v = varint();
    const auto magnitude = static_cast<int64_t>(v >> 1);
    return (v & 1) != 0 ? -magnitude : magnitude;
  }
};

// CPython 3.11 and later, co_linetable of PEP 657. Each entry: a head byte with kind (bits 3-6) and
// length (low 3 bits + 1, in 2-byte units), then the line step and columns, by kind.
inline int line_of_locations(int64_t line, std::string_view table, int64_t position) {
  LocationReader in{table};
  int64_t end = 0;
  while (in.ok && in.at < table.size()) {
    const uint8_t head = in.byte();
    const unsigned kind = (head >> 3) & 15;
    end += ((head & 7) + 1) * 2;
    if (kind == 14 || kind == 13) {  // long form; without columns
      line += in.signed_varint();
      for (unsigned i = 0; kind == 14 && i < 3; ++i) in.varint();
    } else if (kind >= 10 && kind <= 12) {  // one line: step 0 to 2 and two columns
      line += kind - 10;
      in.byte();
      in.byte();
    } else if (kind < 10) {
      in.byte();
    }  // 15: no location; the line before it stays
    if (in.ok && end > position) return clamp_line(line);
  }
  return 0;
}

}  // namespace python_lines

// The line of `position`, or 0 when the table does not reach it or the version is not known.
inline int line_of(uint32_t python_version_hex, uint32_t first_line, std::string_view table,
                   int64_t position) {
  const unsigned major = python_version_hex >> 24, minor = (python_version_hex >> 16) & 0xff;
  if (major != 3 || minor < 6) return 0;
  if (position < 0) return python_lines::clamp_line(first_line);
  if (minor <= 9) return python_lines::line_of_lnotab(first_line, table, position);
  if (minor == 10) return python_lines::line_of_pairs(first_line, table, position);
  return python_lines::line_of_locations(first_line, table, position);
}

}  // namespace gpustall::collect
