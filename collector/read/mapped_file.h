// A file's bytes, mapped read-only for as long as the object lives. Regular files only: what a
// trace or a user names may be a pipe or a device, and opening those must not hang.
#pragma once
#include <filesystem>
#include <string_view>

#include "collector/result.h"

namespace gpustall::collect {

class MappedFile {
 public:
  static Result<MappedFile> open(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::string_view bytes() const { return {data_, size_}; }

 private:
  MappedFile(const char* data, size_t size) : data_(data), size_(size) {}
  const char* data_ = nullptr;
  size_t size_ = 0;
};

// "cannot open X: reason; remedy" for an errno.
Error open_error(const std::filesystem::path& path, int error);

}  // namespace gpustall::collect
