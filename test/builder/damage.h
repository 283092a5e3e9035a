// What happens to files: verbs on the bytes of a trace.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace gpustall::test {

void flip(std::string& bytes, size_t offset, uint8_t mask = 0xff);
void truncate(std::string& bytes, size_t size);

uint32_t chunk_size(const std::string& bytes);
size_t chunk_count(const std::string& bytes);
size_t chunk_offset(const std::string& bytes, size_t index);
void duplicate_chunk(std::string& bytes, size_t index);  // once more at the end, counted
void drop_chunk(std::string& bytes, size_t index);       // the later ones move up
void blank_chunk(std::string& bytes, size_t index);      // zeros, as if claimed and never written
void set_committed(std::string& bytes, size_t index, uint32_t committed);  // shrink, or lie
void set_claimed(std::string& bytes, uint64_t chunks);

void write_file(const std::string& path, const std::string& bytes);

}  // namespace gpustall::test
