// One trace file that is still being written: reads what was committed since the last time, and
// keeps only its newest chunks and all definitions. Read with pread, never mapped: the writer cuts
// the file at its end.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "libinterpose/trace/records.h"

namespace gpustall::collect {

class TailFile {
 public:
  // Null while it is no trace yet.
  static std::unique_ptr<TailFile> open(const std::filesystem::path& path, size_t chunks_kept);
  TailFile(const TailFile&) = delete;
  TailFile& operator=(const TailFile&) = delete;
  ~TailFile();

  bool update();  // true: something was committed since the last time
  // A trace file with all definitions and the chunks kept: the newest ones, and of each stream the
  // one before them, so that every stream is complete from the oldest of the newest on.
  std::string image() const;
  // Threads whose older chunks are not in the image.
  std::vector<uint32_t> cut_threads() const;
  uint32_t pid() const { return header_.pid; }

 private:
  struct Chunk {
    uint32_t index = 0;
    bool closed = false;  // its stream has gone on in another chunk
    trace::ChunkHeader header{};
    std::string payload;
    size_t read = 0, walked = 0;
    trace::Running running;  // of the records walked
  };

  TailFile(int fd, size_t chunks_kept) : fd_(fd), chunks_kept_(chunks_kept) {}
  void find_chunks();
  bool read_more(Chunk& chunk);
  void walk(Chunk& chunk);
  void forget();
  // Of the records with a time of their own, those that later chunks need.
  template <typename Record>
  void keep(const Record&) {}
  void keep(const trace::Clock& clock) { clocks_.push_back(clock); }
  void keep(const trace::DeviceClock& clock) { device_clocks_.push_back(clock); }
  void keep(const trace::Thread& thread) { threads_.push_back(thread); }
  bool is_kept(size_t at) const;

  int fd_;
  size_t chunks_kept_;
  trace::FileHeader header_{};
  std::vector<Chunk> chunks_;        // by index
  std::vector<uint32_t> unwritten_;  // claimed, without a header yet
  uint32_t seen_ = 0;                // chunks looked at
  std::string definitions_;          // records as they were written, one after the other
  std::vector<trace::Clock> clocks_;
  std::vector<trace::DeviceClock> device_clocks_;
  std::vector<trace::Thread> threads_;
};

}  // namespace gpustall::collect
