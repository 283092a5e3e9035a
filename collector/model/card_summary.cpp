#include "collector/model/card_summary.h"

#include <algorithm>

namespace gpustall::collect {
namespace {

struct Reason {
  int64_t bit;
  const char* words;
};
// NVML's clock throttle reasons. Not among them: 0x1 idle, 0x2 clocks as the user set them, 0x10
// and 0x100, clocks of a group and of a display.
constexpr Reason kReasons[] = {
    {0x4, "power cap"},
    {0x8, "hardware slowdown"},
    {0x20, "temperature (software)"},
    {0x40, "temperature (hardware)"},
    {0x80, "power brake"},
};

int64_t slowing(int64_t throttle) {
  int64_t bits = 0;
  for (const Reason& reason : kReasons) bits |= throttle & reason.bit;
  return throttle == kUntold ? 0 : bits;
}

// The middle one of what was told.
int64_t median(const std::vector<const CardState*>& readings, int64_t CardState::*fact) {
  std::vector<int64_t> told;
  for (const CardState* reading : readings)
    if (reading->*fact != kUntold) told.push_back(reading->*fact);
  if (told.empty()) return kUntold;
  std::nth_element(told.begin(), told.begin() + static_cast<long>(told.size() / 2), told.end());
  return told[told.size() / 2];
}

int64_t most(const std::vector<const CardState*>& readings, int64_t CardState::*fact) {
  int64_t value = kUntold;
  for (const CardState* reading : readings) value = std::max(value, reading->*fact);
  return value;
}

std::vector<const CardState*> readings_of(const Recording& r, DeviceIndex device) {
  std::vector<const CardState*> readings;
  for (const CardState& state : r.card_states)
    if (state.device == device) readings.push_back(&state);
  return readings;
}

void fill_throttling(const std::vector<const CardState*>& readings, CardSummary& card) {
  int64_t bits = 0;
  std::vector<const CardState*> held;
  for (const CardState* reading : readings) {
    if (slowing(reading->throttle) == 0) continue;
    bits |= slowing(reading->throttle);
    held.push_back(reading);
  }
  card.throttled = held.size();
  card.throttled_sm_mhz = median(held, &CardState::sm_mhz);
  for (const Reason& reason : kReasons)
    if ((bits & reason.bit) != 0) card.reasons.emplace_back(reason.words);
}

std::string of(int64_t now, int64_t limit, const char* unit) {
  return std::to_string(now) + (limit == kUntold ? "" : " of " + std::to_string(limit)) + unit;
}

}  // namespace

std::optional<CardSummary> card_summary_of(const Recording& r, DeviceIndex device) {
  const std::vector<const CardState*> readings = readings_of(r, device);
  if (readings.empty()) return std::nullopt;
  CardSummary card;
  card.limits = r.devices[raw(device)].card;
  card.readings = readings.size();
  card.sm_mhz = median(readings, &CardState::sm_mhz);
  card.memory_mhz = median(readings, &CardState::memory_mhz);
  card.power_mw = median(readings, &CardState::power_mw);
  card.temperature_c = most(readings, &CardState::temperature_c);
  // An idle link falls back to a slower generation.
  card.link_generation = most(readings, &CardState::link_generation);
  card.link_width = most(readings, &CardState::link_width);
  card.processes = most(readings, &CardState::processes);
  fill_throttling(readings, card);
  return card;
}

void add_card_facts(const Recording& r, std::map<std::string, std::string>& environment) {
  std::string clock, link, power;
  const auto add = [](std::string& to, const std::string& text) {
    to += (to.empty() ? "" : ", ") + text;
  };
  for (uint32_t d = 0; d < r.devices.size(); ++d) {
    const std::optional<CardSummary> card = card_summary_of(r, DeviceIndex(d));
    if (!card) continue;
    // In steps of 50 MHz: a comparison is not about the last one.
    if (card->sm_mhz != kUntold)
      add(clock, of((card->sm_mhz + 25) / 50 * 50, card->limits.sm_mhz, " MHz"));
    if (card->link_generation != kUntold && card->link_width != kUntold)
      add(link, "generation " + of(card->link_generation, card->limits.link_generation, "") +
                    ", lanes " + of(card->link_width, card->limits.link_width, ""));
    if (card->limits.power_mw != kUntold)
      add(power, std::to_string(card->limits.power_mw / 1000) + " W");
  }
  if (!clock.empty()) environment["gpu.clock"] = clock;
  if (!link.empty()) environment["gpu.link"] = link;
  if (!power.empty()) environment["gpu.power_limit"] = power;
}

}  // namespace gpustall::collect
