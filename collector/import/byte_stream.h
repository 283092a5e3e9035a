// Bytes of a foreign recording, read once from front to back: plain, gzip or zstd, found by their
// first bytes. Nothing is ever unpacked to disk, and no more than a buffer is held in memory.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace gpustall::collect {

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  // Up to `size` bytes; 0 is the end, for good.
  virtual size_t read(char* out, size_t size) = 0;
  // Why the end came too early; empty if it did not.
  virtual std::string damage() const { return {}; }
};

// The start of the chain: tells how much of it has been handed out, for the progress bar.
class SourceStream : public ByteStream {
 public:
  virtual double share() const = 0;
};

class MemoryStream : public SourceStream {
 public:
  explicit MemoryStream(std::string_view bytes) : bytes_(bytes) {}
  size_t read(char* out, size_t size) override;
  double share() const override;

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

// Read, not mapped: the pages of a mapping would count as memory of ours for the whole file.
class FileStream : public SourceStream {
 public:
  explicit FileStream(const std::filesystem::path& path);
  FileStream(const FileStream&) = delete;
  FileStream& operator=(const FileStream&) = delete;
  ~FileStream() override;
  size_t read(char* out, size_t size) override;
  double share() const override;
  std::string damage() const override { return damage_; }

 private:
  int file_;
  uint64_t size_ = 0, at_ = 0;
  std::string damage_;
};

// Looks at the first bytes without taking them from whoever reads next.
class PeekStream : public ByteStream {
 public:
  explicit PeekStream(ByteStream& inner) : inner_(inner) {}
  std::string_view peek(size_t size);
  size_t read(char* out, size_t size) override;
  std::string damage() const override { return inner_.damage(); }

 private:
  ByteStream& inner_;
  std::string front_;
  size_t taken_ = 0;
};

// What unpacks the stream that starts with `first`; null if it is not packed.
std::unique_ptr<ByteStream> unpacking(ByteStream& packed, std::string_view first);

}  // namespace gpustall::collect
