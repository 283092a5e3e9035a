// A counter per loader: workers that have loaded all that they were given.
#include "viewer-cli/export/counter_track.h"

namespace gpustall::cli {

void write_idle_workers(TimelineState& state) {
  for (const collect::IdleWorkers& loader : state.in.idle_workers) {
    if (!state.selection.processes[raw(loader.process)]) continue;
    CounterTrack track(state, "idle loader workers", "wait for work",
                       state.in.ids.of(loader.process), loader.time.size());
    for (size_t i = 0; i < loader.time.size(); ++i)
      track.change(state.in.clock.host(loader.process, loader.time[i]), loader.idle[i]);
    track.finish();
  }
}

}  // namespace gpustall::cli
