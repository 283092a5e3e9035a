// The device's part of a gap: the work was asked for in time (or late but then not started). Why?
#pragma once
#include <unordered_map>

#include "collector/analyze/latency.h"

namespace gpustall::collect {

class DevicePart {
 public:
  DevicePart(const Recording& recording, const Links& links);

  // The gap [start, ...) of its device, closed by activity `closing`, which was asked for at or
  // before `asked` (device clock; with the launch latency in it).
  Cause cause(uint32_t closing, TraceTime gap_start, TraceTime gap_end, TraceTime asked) const;

 private:
  bool waits_for_event(uint32_t closing) const;

  const Recording& r_;
  const Links& links_;
  std::vector<uint32_t> before_;  // by activity: the one before it on its queue
  std::unordered_map<uint64_t, std::vector<TraceTime>> event_waits_;  // by (process, stream)
};

}  // namespace gpustall::collect
