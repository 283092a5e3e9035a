// The result of attribution: every gap of every device, cut into slices with one owner each.
// Invariant, asserted in every test and checked at run time: per device, sum of slices = idle =
// span - busy, exactly.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collector/cause.h"
#include "collector/ids.h"
#include "collector/recording.h"

namespace gpustall::collect {

// Where a slice is blamed on: the innermost frame of the user's own code, and the whole stack.
enum class SiteId : uint32_t {};
struct Site {
  StringId file{}, function{};
  int32_t line = 0;
  bool operator==(const Site&) const = default;
};

struct DeviceTimeline {
  DeviceIndex device{};
  TraceTime first = 0, last = 0;  // device clock; span = last - first
  int64_t busy_ns = 0, compute_ns = 0, exposed_copy_ns = 0, exposed_collective_ns = 0;
  int64_t span_ns() const { return last - first; }
  int64_t idle_ns() const { return span_ns() - busy_ns; }
};

// Sorted by (device, start). Device clock.
struct Gaps {
  std::vector<DeviceIndex> device;
  std::vector<TraceTime> start, end;
  std::vector<uint32_t> closing;      // index into activities: the one that starts at the gap's end
  std::vector<uint32_t> first_slice;  // size() + 1 entries
  size_t size() const { return device.size(); }
};

// What else would remove the time of a slice than the repair of its own cause.
struct OtherRepair {
  uint64_t also = 0;  // a bit set of further Causes (by enumerator), never empty
  // The last of these with its place; not where a recording states its slices itself.
  bool placed = false;
  Cause cause{};
  SiteId site = kNone<SiteId>;
  StackId stack = kNone<StackId>;
  uint32_t group = 0;
};

// Sorted by (device, start); the slices of a gap tile it. Device clock.
struct Slices {
  std::vector<uint32_t> gap;
  std::vector<TraceTime> start, end;
  std::vector<Cause> cause;
  std::vector<SiteId> site;      // kNone: no site
  std::vector<StringId> object;  // e.g. worker function, waiting queue; 0: none
  std::vector<StackId> stack;    // evidence, kNone: none
  std::vector<uint32_t> group;   // syncs that only help together; 0: none
  std::vector<uint32_t> other;   // into `others`; kNoOther: nothing else
  std::vector<OtherRepair> others;
  static constexpr uint32_t kNoOther = 0xffffffff;

  size_t size() const { return gap.size(); }
  const OtherRepair* other_of(size_t slice) const {
    return other[slice] == kNoOther ? nullptr : &others[other[slice]];
  }
  uint64_t also(size_t slice) const {
    const OtherRepair* repair = other_of(slice);
    return repair == nullptr ? 0 : repair->also;
  }
  void push_other(const OtherRepair& repair) {
    other.push_back(repair.also == 0 ? kNoOther : static_cast<uint32_t>(others.size()));
    if (repair.also != 0) others.push_back(repair);
  }
};

// Busy time that has an owner all the same: exposed copies and collectives. Device clock.
struct BusySlices {
  std::vector<DeviceIndex> device;
  std::vector<TraceTime> start, end;
  std::vector<Cause> cause;
  std::vector<SiteId> site;
  std::vector<StringId> object;
  std::vector<StackId> stack;      // of the launching call
  std::vector<uint32_t> activity;  // the copy or collective
  size_t size() const { return device.size(); }
};

// The steps of one training process, found without annotations where there are none.
struct Steps {
  ProcessIndex process{};
  std::vector<TraceTime> boundary;  // host clock, ascending; step i = [boundary[i], boundary[i+1])
  std::vector<TraceTime>
      device_boundary;  // the same instants as the device sees them (device clock)
  uint32_t warmup = 0;  // the first steps that are left out of steady state
  std::string basis;    // "optimizer", "ProfilerStep", "launch period", ...
  size_t count() const { return boundary.empty() ? 0 : boundary.size() - 1; }
};

struct ReplayScript;  // collector/gain/script.h

struct Analysis {
  std::vector<DeviceTimeline> timelines;
  Gaps gaps;
  Slices slices;
  BusySlices busy_slices;
  std::vector<Site> sites;
  std::vector<Steps> steps;       // one per training process that has steps
  int64_t launch_latency_ns = 0;  // the run's normal launch latency (the mode)
  uint64_t unlinked_activities = 0;
  std::shared_ptr<const ReplayScript> script;  // for predicted gains; null without steps
};

// Throws nothing; costs O(n log n). The recording must be sorted as recording.h says.
Analysis analyze(const Recording& recording);

}  // namespace gpustall::collect
