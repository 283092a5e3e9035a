// What reaches another thread or process through a pipe or socket: the last write before a wait's
// end woke it.
#pragma once
#include <unordered_map>
#include <vector>

#include "collector/recording.h"

namespace gpustall::collect {

class PipeWrites {
 public:
  explicit PipeWrites(const Recording& recording);
  // The write that ended wait `i`; kNoIndex: none was recorded.
  uint32_t waker_of(uint32_t i) const;

 private:
  uint64_t inode_of(uint32_t wait) const;
  const Recording& r_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> by_inode_;  // by end
};

}  // namespace gpustall::collect
