// Counters of the card: clocks, power, temperature, and whether the clock was held down. One point
// a second, each where it changes.
#include <map>

#include "viewer-cli/export/timeline_state.h"

namespace gpustall::cli {

namespace {

using namespace collect;  // NOLINT: all of this is about the collector's tables

struct CardTrack {
  const char *name, *series;
  int64_t CardState::*fact;
  int64_t divisor;
};
constexpr CardTrack kTracks[] = {
    {"GPU clock", "MHz", &CardState::sm_mhz, 1},
    {"GPU memory clock", "MHz", &CardState::memory_mhz, 1},
    {"GPU power", "W", &CardState::power_mw, 1000},
    {"GPU temperature", "degrees C", &CardState::temperature_c, 1},
    {"GPU clock throttle reasons", "NVML bits", &CardState::throttle, 1},
};

}  // namespace

void write_cards(TimelineState& state) {
  const Recording& r = state.in.recording;
  for (const CardTrack& track : kTracks) {
    std::map<DeviceIndex, int64_t> written;
    InSelection selected(state.selection);
    DeviceIndex last = kNone<DeviceIndex>;
    for (const CardState& card : r.card_states) {
      if (card.device != last) selected = InSelection(state.selection);  // goes forward only
      last = card.device;
      if (card.*track.fact == kUntold || !state.selection.devices[raw(card.device)]) continue;
      const int64_t time = state.in.clock.host(card.process, card.time);
      const int64_t value = card.*track.fact / track.divisor;
      if (!selected.overlaps(time, time)) continue;
      const auto [at, first] = written.try_emplace(card.device, value);
      if (!first && at->second == value) continue;
      at->second = value;
      state.out.counter(track.name, state.in.ids.of(card.device), time, track.series, value);
    }
  }
}

}  // namespace gpustall::cli
