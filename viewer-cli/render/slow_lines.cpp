// What made the device slow while it was not idle, as NVML saw it.
#include "viewer-cli/render/sections.h"

namespace gpustall::cli {

namespace {

using collect::CardSummary;
using collect::kUntold;

constexpr double kWorthSaying = 0.02;  // of the readings

std::string held_down(const CardSummary& card) {
  const double share = static_cast<double>(card.throttled) / static_cast<double>(card.readings);
  if (card.throttled == 0 || share < kWorthSaying) return {};
  std::string text = "the card held its clock down in " + std::to_string(card.throttled) + " of " +
                     std::to_string(card.readings) + " readings (";
  for (size_t i = 0; i < card.reasons.size(); ++i) text += (i == 0 ? "" : ", ") + card.reasons[i];
  text += ")";
  if (card.throttled_sm_mhz == kUntold) return text;
  text += ", SM clock then " + std::to_string(card.throttled_sm_mhz);
  if (card.limits.sm_mhz != kUntold) text += " of " + std::to_string(card.limits.sm_mhz);
  return text + " MHz";
}

std::string slow_link(const CardSummary& card) {
  const auto below = [](int64_t most, int64_t limit) {
    return most != kUntold && limit != kUntold && most < limit;
  };
  if (!below(card.link_generation, card.limits.link_generation) &&
      !below(card.link_width, card.limits.link_width))
    return {};
  const auto link = [](int64_t generation, int64_t width) {
    return "generation " + std::to_string(generation) + " x" + std::to_string(width);
  };
  return "the PCIe link was never faster than " + link(card.link_generation, card.link_width) +
         ", it can do " + link(card.limits.link_generation, card.limits.link_width);
}

std::string neighbours(const View& view, const CardSummary& card) {
  const auto known = static_cast<int64_t>(view.device->pids.size());
  if (card.processes <= known) return {};
  return "up to " + std::to_string(card.processes) + " processes were on the card, " +
         std::to_string(known) + " of them in this recording";
}

}  // namespace

std::vector<std::string> slow_lines(const View& view) {
  std::vector<std::string> lines;
  if (!view.device->card || view.device->card->readings == 0) return lines;
  const CardSummary& card = *view.device->card;
  for (const std::string& what : {held_down(card), slow_link(card), neighbours(view, card)})
    if (!what.empty()) lines.push_back("Not idle, still slow: " + what + ".");
  return lines;
}

}  // namespace gpustall::cli
