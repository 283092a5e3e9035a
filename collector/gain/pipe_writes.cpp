#include "collector/gain/pipe_writes.h"

#include <algorithm>

#include "collector/analyze/link.h"

namespace gpustall::collect {

PipeWrites::PipeWrites(const Recording& recording) : r_(recording) {
  for (uint32_t i = 0; i < r_.waits.size(); ++i) {
    if (trace::class_of(r_.waits.wait[i]) != trace::WaitClass::Write) continue;
    if (const uint64_t inode = inode_of(i); inode != 0) by_inode_[inode].push_back(i);
  }
  for (auto& [inode, writes] : by_inode_)
    std::sort(writes.begin(), writes.end(),
              [&](uint32_t a, uint32_t b) { return r_.waits.end[a] < r_.waits.end[b]; });
}

uint32_t PipeWrites::waker_of(uint32_t i) const {
  const auto found = by_inode_.find(inode_of(i));
  if (found == by_inode_.end()) return kNoIndex;
  const auto& all = found->second;
  auto at = std::upper_bound(all.begin(), all.end(), r_.waits.end[i],
                             [&](TraceTime t, uint32_t w) { return t < r_.waits.start[w]; });
  while (at != all.begin()) {
    const uint32_t w = *--at;
    if (r_.waits.end[w] <= r_.waits.start[i]) return kNoIndex;
    if (r_.waits.thread[w] != r_.waits.thread[i]) return w;
  }
  return kNoIndex;
}

uint64_t PipeWrites::inode_of(uint32_t wait) const {
  const ObjectId object = r_.waits.object[wait];
  if (raw(object) >= r_.objects.size()) return 0;
  const Object& o = r_.objects[raw(object)];
  const bool channel = o.kind == trace::ObjectKind::Pipe || o.kind == trace::ObjectKind::Socket;
  return channel ? o.identity : 0;
}

}  // namespace gpustall::collect
