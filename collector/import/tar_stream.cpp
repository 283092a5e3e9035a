#include "collector/import/tar_stream.h"

#include <algorithm>

namespace gpustall::collect {
namespace {

constexpr size_t kNameAt = 0, kSizeAt = 124, kTypeAt = 156, kMagicAt = 257;

// Octal text, or base 256 where the top bit is set (files of 8 GiB and more).
uint64_t size_of(std::string_view field) {
  uint64_t value = 0;
  if (static_cast<unsigned char>(field[0]) & 0x80) {
    for (char c : field.substr(4)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
  }
  for (char c : field)
    if (c >= '0' && c <= '7') value = value << 3 | static_cast<uint64_t>(c - '0');
  return value;
}

}  // namespace

bool looks_like_tar(std::string_view first_block) {
  return first_block.size() >= kTarBlock && first_block.substr(kMagicAt, 5) == "ustar";
}

bool TarStream::fill(char* out, size_t size) {
  while (size > 0) {
    const size_t got = archive_.read(out, size);
    if (got == 0) return false;
    out += got;
    size -= got;
  }
  return true;
}

bool TarStream::skip(uint64_t size) {
  char scratch[4096];
  for (; size > 0; size -= std::min<uint64_t>(size, sizeof scratch))
    if (!fill(scratch, std::min<uint64_t>(size, sizeof scratch))) return false;
  return true;
}

bool TarStream::next() {
  for (;;) {
    if (!skip(left_) || !skip(padding_)) return false;
    left_ = padding_ = 0;
    char block[kTarBlock];
    if (!fill(block, sizeof block)) return false;
    const std::string_view header(block, sizeof block);
    if (!looks_like_tar(header)) return false;  // the zero blocks at the end
    left_ = size_of(header.substr(kSizeAt, 12));
    padding_ = (kTarBlock - left_ % kTarBlock) % kTarBlock;
    name_ = header.substr(kNameAt, header.substr(kNameAt, 100).find('\0') == std::string_view::npos
                                       ? 100
                                       : header.find('\0'));
    if (block[kTypeAt] == '0' || block[kTypeAt] == '\0') return true;
  }
}

size_t TarStream::read(char* out, size_t size) {
  if (left_ == 0) return 0;
  const size_t got = archive_.read(out, std::min<uint64_t>(size, left_));
  left_ -= got;
  if (got == 0) left_ = padding_ = 0;  // the archive is cut
  return got;
}

}  // namespace gpustall::collect
