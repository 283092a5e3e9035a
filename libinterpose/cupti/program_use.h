// What the program itself does with CUPTI (torch.profiler, mostly), seen through hooks on its
// calls. Its use wins: we are detached before its first call goes through, and come back after its
// last.
#pragma once
#include <cupti.h>

#include <cstdint>

namespace gpustall::interpose::cupti {

struct ProgramUse {
  uint64_t kinds[2];  // enabled activity kinds, by number
  uint32_t pending;   // calls on their way into CUPTI
  bool exclusive;     // subscribed through the version 2 interface, which excludes ours
  bool flushed;       // since the last kind was disabled
  int64_t last_ns;    // CLOCK_MONOTONIC of the last call
  CUpti_TimestampCallbackFunc timestamps;  // the clock that it gave to CUPTI

  // A subscription alone is no reason to stay away: it is shared (subscription.h).
  bool in_use() const noexcept { return (kinds[0] | kinds[1]) != 0 || pending != 0 || exclusive; }
};
// With the session's lock held.
ProgramUse& program_use() noexcept;
// With the session's lock held: true a moment after the flush that follows the program's last
// disabled kind, or when it left CUPTI alone for some seconds without one.
bool program_is_done() noexcept;

}  // namespace gpustall::interpose::cupti
