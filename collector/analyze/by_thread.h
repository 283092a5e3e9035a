// Where each thread's rows begin in a table that is sorted by thread.
#pragma once
#include <cstdint>
#include <vector>

#include "collector/ids.h"

namespace gpustall::collect {

// threads + 1 entries: the rows of thread t are [first[t], first[t + 1]).
template <typename Table>
std::vector<uint32_t> first_by_thread(const Table& table, size_t threads) {
  std::vector<uint32_t> first(threads + 1);
  uint32_t i = 0;
  for (size_t t = 0; t <= threads; ++t) {
    while (i < table.size() && raw(table.thread[i]) < t) ++i;
    first[t] = i;
  }
  return first;
}

}  // namespace gpustall::collect
