// Counters of the card: clocks, power, temperature, and whether the clock was held down. One point
// a second, each where it changes.
#include <optional>

#include "viewer-cli/export/counter_track.h"

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
    std::optional<CounterTrack> counter;
    DeviceIndex last = kNone<DeviceIndex>;
    for (const CardState& card : r.card_states) {  // of one device after the other
      if (card.*track.fact == kUntold || !state.selection.devices[raw(card.device)]) continue;
      if (card.device != last) {
        if (counter) counter->finish();
        counter.emplace(state, track.name, track.series, state.in.ids.of(card.device),
                        r.card_states.size());
      }
      last = card.device;
      counter->change(state.in.clock.host(card.process, card.time),
                      card.*track.fact / track.divisor);
    }
    if (counter) counter->finish();
  }
}

}  // namespace gpustall::cli
