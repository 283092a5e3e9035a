#include "collector/read/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace gpustall::collect {

Error open_error(const std::filesystem::path& path, int error) {
  const std::string name = path.string();
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return {name +
              " does not exist; name a recording's directory, or record one with"
              " `gpustall run -- python train.py`"};
    case EACCES:
    case EPERM:
      return {"no permission to read " + name +
              "; recordings are readable by their owner only: read it as that user, or have it"
              " chmod'ed"};
    default:
      return {"cannot open " + name + ": " + std::strerror(error) +
              "; copy it to a local disk and try again"};
  }
}

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return open_error(path, errno);
  struct stat status {};
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(fd);
    return Error{path.string() + " is not a regular file; name a recording"};
  }
  const auto size = static_cast<size_t>(status.st_size);
  if (size == 0) {
    close(fd);
    return MappedFile(nullptr, 0);
  }
  void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  const int error = errno;
  close(fd);
  if (data == MAP_FAILED) return open_error(path, error);
  return MappedFile(static_cast<const char*>(data), size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
}

}  // namespace gpustall::collect
