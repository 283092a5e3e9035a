// The regular files of a tar archive, one after the other, as streams: ustar, GNU and pax archives
// as far as their members' bytes go. Names are for messages only; no path of an archive is opened.
#pragma once
#include <cstdint>

#include "collector/import/byte_stream.h"

namespace gpustall::collect {

bool looks_like_tar(std::string_view first_block);
constexpr size_t kTarBlock = 512;

class TarStream : public ByteStream {
 public:
  explicit TarStream(ByteStream& archive) : archive_(archive) {}
  // Goes to the next regular file, whatever was left of the one before; false at the end.
  bool next();
  const std::string& name() const { return name_; }
  size_t read(char* out, size_t size) override;  // of the current member
  std::string damage() const override { return archive_.damage(); }

 private:
  bool fill(char* out, size_t size);
  bool skip(uint64_t size);
  ByteStream& archive_;
  std::string name_;
  uint64_t left_ = 0, padding_ = 0;
};

}  // namespace gpustall::collect
