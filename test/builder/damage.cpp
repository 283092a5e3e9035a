// Damage verbs. Offsets are FORMAT.md's, as in trace_builder.cpp.
#include "test/builder/damage.h"

#include <fstream>
#include <stdexcept>

namespace gpustall::test {
namespace {

template <typename T>
void put(std::string& to, size_t offset, T value) {
  for (size_t i = 0; i < sizeof value; ++i)
    to.at(offset + i) = static_cast<char>(static_cast<uint64_t>(value) >> (8 * i));
}

}  // namespace

void flip(std::string& bytes, size_t offset, uint8_t mask) {
  bytes.at(offset) = static_cast<char>(static_cast<uint8_t>(bytes[offset]) ^ mask);
}

void truncate(std::string& bytes, size_t size) {
  bytes.resize(size);
}

size_t chunk_count(const std::string& bytes) {
  return (bytes.size() - 4096) / chunk_size(bytes);
}

uint32_t chunk_size(const std::string& bytes) {
  uint32_t size = 0;
  for (unsigned i = 0; i < 4; ++i)
    size |= uint32_t{static_cast<uint8_t>(bytes.at(16 + i))} << 8 * i;
  return size;
}

size_t chunk_offset(const std::string& bytes, size_t index) {
  return 4096 + index * chunk_size(bytes);
}

void duplicate_chunk(std::string& bytes, size_t index) {
  bytes += bytes.substr(chunk_offset(bytes, index), chunk_size(bytes));
  set_claimed(bytes, chunk_count(bytes));
}

void drop_chunk(std::string& bytes, size_t index) {
  bytes.erase(chunk_offset(bytes, index), chunk_size(bytes));
  set_claimed(bytes, chunk_count(bytes));
}

void blank_chunk(std::string& bytes, size_t index) {
  const size_t size = chunk_size(bytes);
  bytes.replace(chunk_offset(bytes, index), size, size, '\0');
}

void set_committed(std::string& bytes, size_t index, uint32_t committed) {
  put(bytes, chunk_offset(bytes, index) + 4, committed);
}

void set_claimed(std::string& bytes, uint64_t chunks) {
  put(bytes, 24, chunks);
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace gpustall::test
