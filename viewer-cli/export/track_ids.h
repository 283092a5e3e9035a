// The pid and tid under which viewers file a track. Processes and threads keep the numbers of the
// system and devices their ordinals and streams their ids, as torch.profiler has them, where those
// are unique.
#pragma once
#include <cstdint>
#include <vector>

#include "collector/recording.h"

namespace gpustall::cli {

class TrackIds {
 public:
  static constexpr int64_t kFirstFree = 100'000'000;  // above every pid_max

  explicit TrackIds(const collect::Recording& recording);
  int64_t of(collect::ProcessIndex process) const { return processes_[raw(process)]; }
  int64_t of(collect::DeviceIndex device) const { return devices_[raw(device)]; }
  int64_t of(collect::ThreadIndex thread) const { return threads_[raw(thread)]; }
  int64_t of(collect::QueueIndex queue) const { return queues_[raw(queue)]; }
  // A tid that no thread has, for a further track or lane.
  int64_t next() { return next_++; }
  void restart() { next_ = kFirstFree; }  // the same numbers for the same text once more

 private:
  std::vector<int64_t> processes_, devices_, threads_, queues_;
  int64_t next_ = kFirstFree;
};

}  // namespace gpustall::cli
