#include "viewer-cli/export/track_ids.h"

#include <set>

namespace gpustall::cli {

namespace {

constexpr int64_t kFirstStandIn = 1'000'000'000;

// The wanted number if it is free and no other's, else the next stand-in.
int64_t take(std::set<int64_t>& taken, int64_t wanted) {
  if (wanted < TrackIds::kFirstFree && taken.insert(wanted).second) return wanted;
  const auto last = taken.lower_bound(kFirstStandIn);
  const int64_t next = last == taken.end() ? kFirstStandIn : *taken.rbegin() + 1;
  taken.insert(next);
  return next;
}

}  // namespace

TrackIds::TrackIds(const collect::Recording& r) {
  std::set<int64_t> pids;
  for (const collect::Process& process : r.processes) processes_.push_back(take(pids, process.pid));
  for (const collect::Device& device : r.devices) devices_.push_back(take(pids, device.ordinal));
  std::vector<std::set<int64_t>> tids(r.processes.size());
  for (const collect::Thread& thread : r.threads)
    threads_.push_back(take(tids[raw(thread.process)], thread.tid));
  std::vector<std::set<int64_t>> streams(r.devices.size());
  for (const collect::Queue& queue : r.queues)
    queues_.push_back(take(streams[raw(queue.device)], queue.stream));
}

}  // namespace gpustall::cli
