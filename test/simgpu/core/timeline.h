// Placing work on the modelled timeline:
//   start = max(now + latency, end of the stream's last work, waited events, the copy engine), end
//   = start + duration
#pragma once
#include <cstdint>
#include <vector>

#include "api_scope.h"
#include "device.h"
#include "effect.h"

namespace simgpu {

// One piece of device work, before it has a time.
struct Work {
  Activity shape{};  // everything but times, correlation and the ids of the stream
  int64_t duration_ns = 0;
  Engine engine = Engine::Compute;
  Effect effect;
  // How the effect is done (background.h): a large copy may be done beside the program, and then
  // whoever waits for the work to be over waits for the bytes only where the host reads them.
  bool background = false, host_reads = false;
  int64_t as_of_ns = 0;  // when the call came; 0: it comes now
};

struct Placed {
  int64_t start_ns = 0, end_ns = 0;
  bool captured = false;  // recorded into a graph: nothing runs now
  int error = 0;
};

// Waits for room in the stream's queue, places, applies the effect, announces. Or records, while
// capturing.
GPUSTALL_SIM_API Placed submit(Stream&, Work&, uint32_t correlation);

// [T] Both with timeline_lock() held.
int64_t earliest_start(Stream&, Engine, int64_t now);
void occupy(Stream&, Engine, int64_t end_ns);

// Blocks while the stream's queue is full, and announces the time as COMMAND_BUFFER_FULL.
void wait_for_room(Stream&, uint32_t correlation);
void announce_overhead(const Stream&, uint32_t kind, int64_t start_ns, int64_t end_ns,
                       uint32_t correlation);

}  // namespace simgpu
