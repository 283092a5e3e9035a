// The pieces of a dump's lines: numbers, quoted text, the header line.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include "collector/read/trace_file.h"

namespace gpustall::collect {

std::string hex(uint64_t value);
std::string hex_bytes(std::string_view bytes);
std::string signed_text(int64_t value);     // with its sign, + too
std::string quoted(std::string_view text);  // control characters escaped: one line stays one

// `end_ns`: the process' end since its start, 0: none.
void write_header_line(const TraceFile& file, int64_t end_ns, std::ostream& out);

}  // namespace gpustall::collect
