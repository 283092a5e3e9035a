// The device's side of a script: the queues' recorded order, and what each piece of work waited
// for.
#pragma once
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "collector/gain/script.h"

namespace gpustall::collect {

// Follows the recording in the order of host time: where each queue and event stood when a call was
// made.
class RecordedDevice {
 public:
  RecordedDevice(const ScriptInput& input);

  // The work of a call, in order; appended to `out`. `asked`: its exit, or a blocking call's entry.
  void launch(uint32_t call, TraceTime asked, std::vector<ScriptWork>& out);
  void record(uint64_t event, uint32_t queue) { events_[event] = ready(queue); }
  void stream_wait(uint64_t event, uint32_t queue);
  // When what a blocking call waits for was done; INT64_MIN: nothing was asked for.
  TraceTime done(const ScriptEvent& event, uint32_t process) const;
  // Launches that had been asked for and not started when a call was entered.
  size_t outstanding(uint32_t queue, TraceTime at);
  // The most that a queue held at once.
  size_t most_outstanding(uint32_t queue) const { return most_outstanding_[queue]; }
  bool starts_work(uint32_t call) const { return first_of_call_[call + 1] > first_of_call_[call]; }
  uint32_t queue_of(uint32_t process, uint32_t stream) const;  // kNoIndex: not one known queue

 private:
  void find_least_gaps();
  void find_pointwise();
  bool fuses(uint32_t activity, uint32_t call) const;
  TraceTime ready(uint32_t queue) const { return std::max(tail_[queue], depends_[queue]); }

  const ScriptInput& in_;
  std::vector<int64_t> spacing_;                   // by queue: a running mean
  std::vector<bool> pointwise_;                    // by string: a kernel's name
  std::vector<uint32_t> first_of_call_, of_call_;  // activities by call, in order of start
  std::vector<TraceTime> tail_, depends_;          // by queue, host clock
  std::vector<std::vector<TraceTime>> starts_;     // by queue, of launched work
  std::vector<size_t> started_;                    // by queue: how many of starts_ are past
  std::vector<size_t> most_outstanding_;
  std::unordered_map<uint64_t, TraceTime> events_;
  std::unordered_map<uint64_t, uint32_t> queue_of_stream_;
};

}  // namespace gpustall::collect
