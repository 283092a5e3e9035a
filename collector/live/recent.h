// The newest part of a recording while it is being written, again and again at a cost that does not
// grow with the recording. Only reads files; the recorded processes notice nothing.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <optional>

#include "collector/live/tail_file.h"
#include "collector/read/symbols/symbolizer.h"
#include "collector/recording.h"

namespace gpustall::collect {

struct Recent {
  Recording recording;  // as load() gives it, from `since` on
  bool whole = true;    // nothing was left out
};

class RecentReader {
 public:
  // The trace files in `directory`, those that come later too. `chunks_kept`: of each file, 64 KiB
  // each; the rest is about three chunks a thread.
  explicit RecentReader(std::filesystem::path directory, size_t chunks_kept = 32)
      : directory_(std::move(directory)), chunks_kept_(chunks_kept) {}
  // Reads what was committed since the last time. False: nothing.
  bool update();
  // What update() has read so far. Device work whose calls are no longer kept is left out: what
  // remains is exact. Nothing without device work.
  std::optional<Recent> look();

 private:
  std::filesystem::path directory_;
  size_t chunks_kept_;
  std::map<std::filesystem::path, std::unique_ptr<TailFile>> files_;
  SymbolFiles symbols_;  // reading the tables again would be a third of every look
};

}  // namespace gpustall::collect
