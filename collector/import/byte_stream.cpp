#include "collector/import/byte_stream.h"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace gpustall::collect {
namespace {

constexpr size_t kPackedBuffer = 256 * 1024;

// A cut or flipped file is no reason to throw away what came before.
class GzipStream : public ByteStream {
 public:
  explicit GzipStream(ByteStream& packed) : packed_(packed), buffer_(kPackedBuffer, '\0') {
    open_ = inflateInit2(&z_, 15 + 32) == Z_OK;  // gzip or zlib, by its header
  }
  GzipStream(const GzipStream&) = delete;
  GzipStream& operator=(const GzipStream&) = delete;
  ~GzipStream() override { inflateEnd(&z_); }

  size_t read(char* out, size_t size) override {
    if (size == 0) return 0;
    z_.next_out = reinterpret_cast<Bytef*>(out);
    z_.avail_out = static_cast<uInt>(std::min<size_t>(size, 1u << 30));
    const uInt wanted = z_.avail_out;
    while (open_ && z_.avail_out == wanted) {
      if (z_.avail_in == 0 && !refill()) break;
      const int result = inflate(&z_, Z_NO_FLUSH);
      if (result == Z_STREAM_END) {
        next_member();
      } else if (result != Z_OK) {
        fail("its compressed data are damaged");
      }
    }
    return wanted - z_.avail_out;
  }
  std::string damage() const override { return damage_; }

 private:
  bool refill() {
    z_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    z_.avail_in = static_cast<uInt>(packed_.read(buffer_.data(), buffer_.size()));
    if (z_.avail_in > 0) return true;
    if (inside_) fail("its compressed data are cut short");
    open_ = false;
    return false;
  }
  // Several gzip members in one file are one text; anything else behind a member is padding.
  void next_member() {
    inside_ = false;
    if (z_.avail_in == 0 && !refill()) return;
    if (*z_.next_in == 0x1f)
      inside_ = inflateReset(&z_) == Z_OK;
    else
      open_ = false;
  }
  void fail(const char* what) {
    damage_ = what;
    open_ = false;
  }

  ByteStream& packed_;
  std::string buffer_, damage_;
  z_stream z_{};
  bool open_ = false, inside_ = true;
};

class ZstdStream : public ByteStream {
 public:
  explicit ZstdStream(ByteStream& packed)
      : packed_(packed), buffer_(kPackedBuffer, '\0'), z_(ZSTD_createDStream()) {}
  ZstdStream(const ZstdStream&) = delete;
  ZstdStream& operator=(const ZstdStream&) = delete;
  ~ZstdStream() override { ZSTD_freeDStream(z_); }

  size_t read(char* out, size_t size) override {
    ZSTD_outBuffer to{out, size, 0};
    while (z_ != nullptr && to.pos == 0 && damage_.empty()) {
      if (from_.pos == from_.size) {
        from_ = {buffer_.data(), packed_.read(buffer_.data(), buffer_.size()), 0};
        if (from_.size == 0) {
          if (wanted_ > 0) damage_ = "its compressed data are cut short";
          break;
        }
      }
      wanted_ = ZSTD_decompressStream(z_, &to, &from_);
      if (ZSTD_isError(wanted_)) damage_ = "its compressed data are damaged";
    }
    return to.pos;
  }
  std::string damage() const override { return damage_; }

 private:
  ByteStream& packed_;
  std::string buffer_, damage_;
  ZSTD_DStream* z_;
  ZSTD_inBuffer from_{nullptr, 0, 0};
  size_t wanted_ = 0;
};

}  // namespace

size_t MemoryStream::read(char* out, size_t size) {
  const size_t n = std::min(size, bytes_.size() - at_);
  if (n > 0) std::memcpy(out, bytes_.data() + at_, n);
  at_ += n;
  return n;
}

double MemoryStream::share() const {
  return bytes_.empty() ? 1 : static_cast<double>(at_) / static_cast<double>(bytes_.size());
}

FileStream::FileStream(const std::filesystem::path& path)
    : file_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  std::error_code ignored;
  size_ = std::filesystem::file_size(path, ignored);
}

FileStream::~FileStream() {
  if (file_ >= 0) ::close(file_);
}

size_t FileStream::read(char* out, size_t size) {
  ssize_t got;
  do {
    got = ::read(file_, out, size);
  } while (got < 0 && errno == EINTR);
  if (got < 0) damage_ = std::string("it cannot be read to its end: ") + std::strerror(errno);
  at_ += got > 0 ? static_cast<uint64_t>(got) : 0;
  return got > 0 ? static_cast<size_t>(got) : 0;
}

double FileStream::share() const {
  return size_ == 0 ? 1 : static_cast<double>(at_) / static_cast<double>(size_);
}

std::string_view PeekStream::peek(size_t size) {
  while (front_.size() < size) {
    const size_t had = front_.size();
    front_.resize(size);
    const size_t got = inner_.read(front_.data() + had, size - had);
    front_.resize(had + got);
    if (got == 0) break;
  }
  return front_;
}

size_t PeekStream::read(char* out, size_t size) {
  if (taken_ == front_.size()) return inner_.read(out, size);
  const size_t n = std::min(size, front_.size() - taken_);
  std::memcpy(out, front_.data() + taken_, n);
  taken_ += n;
  return n;
}

std::unique_ptr<ByteStream> unpacking(ByteStream& packed, std::string_view first) {
  if (first.starts_with("\x1f\x8b")) return std::make_unique<GzipStream>(packed);
  if (first.starts_with("\x28\xb5\x2f\xfd")) return std::make_unique<ZstdStream>(packed);
  return nullptr;
}

}  // namespace gpustall::collect
