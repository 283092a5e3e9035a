// The lead rule. While the host waits in S it gives up a lead: the device's busy time inside S,
// without S's own copy. Work of the launching side that later shows up as idle time is charged to S
// until that lead is used up; only the rest is the work's own fault.
//   - unused lead survives later waits at the same line;
//   - at a wait at another line it becomes joint: without the first wait the second one would have
//     taken its place, so only the removal of both gains it. Work that uses joint lead makes the
//     lines one group;
//   - waits with no launch between them are one group at once;
//   - a real wait for an outside producer empties the lead: the wait would have come anyway;
//   - a lead is never longer than what fits into the launch queue.
#pragma once
#include <unordered_map>
#include <vector>

#include "collector/analyze/clock_map.h"
#include "collector/analyze/stalls.h"
#include "collector/analyze/timeline.h"

namespace gpustall::collect {

// Lines that wait for the device, joined into groups as the rule finds them. Shared by all ledgers.
class SyncGroups {
 public:
  uint32_t key_of(const Stall& stall);
  void join(uint32_t a, uint32_t b);
  bool together(uint32_t a, uint32_t b) { return root(a) == root(b); }
  // 0 for a line that stands alone; else 1, 2, ... in order of first call.
  uint32_t group_of(uint32_t key);
  // The same for time of this cause and line that is no wait itself.
  uint32_t group_of(Cause cause, SiteId site);

 private:
  static uint64_t identity(Cause cause, SiteId site) {
    return uint64_t{raw(site)} << 8 | static_cast<uint8_t>(cause);
  }
  uint32_t root(uint32_t key);
  std::unordered_map<uint64_t, uint32_t> keys_;
  std::vector<uint32_t> parent_, size_;
  std::unordered_map<uint32_t, uint32_t> numbers_;
};

struct LeadEvent {
  TraceTime end;
  uint32_t stall;            // kNoIndex: a wait for an outside producer
  uint32_t wait = kNoIndex;  // that wait
};

// One process on one device. Asked in the order of host time.
class LeadLedger {
 public:
  struct Input {
    const Recording& recording;
    const Stalls& stalls;
    const ClockMap& clock;
    const Timelines& timelines;
    size_t device;                  // entry of timelines.devices
    std::vector<LeadEvent> events;  // by end
  };
  LeadLedger(Input input, SyncGroups& groups)
      : in_(std::move(input)), groups_(groups), busy_(in_.timelines, in_.device) {}

  // Everything that ended until then has happened. The waits for outside producers among it.
  const std::vector<uint32_t>& advance(TraceTime host);
  struct Share {
    int64_t ns;
    uint32_t stall;  // the wait that gave up most of it
  };
  // At most ns of the lead at hand, from one owner; ask again for the rest. 0: none left.
  Share take(int64_t ns);

 private:
  void wait_ended(uint32_t stall);
  void drop() { holds_ = false, own_ = joint_ = {}, joint_keys_.clear(); }
  void pass_on(uint32_t key);
  int64_t given_up(const Stall& stall) const;
  int64_t queue_bound(TraceTime device_time) const;
  bool launched_between(const Stall& before, const Stall& after) const;

  Input in_;
  SyncGroups& groups_;
  BusyIn busy_;
  std::vector<uint32_t> outside_;
  size_t next_ = 0;
  struct Lead {
    int64_t ns = 0;
    uint32_t owner = kNoIndex;  // the stall that gave up most of it
    int64_t owner_ns = 0;
    void add(int64_t given, uint32_t stall, int64_t stall_ns);
  };
  bool holds_ = false;  // own_ belongs to key_, though it may be used up
  uint32_t key_ = 0;
  Lead own_, joint_;
  std::vector<uint32_t> joint_keys_;
  uint32_t last_ = kNoIndex;
};

}  // namespace gpustall::collect
