#include "collector/read/cards.h"

namespace gpustall::collect {
namespace {

// The record's facts in their order.
class Facts {
 public:
  explicit Facts(uint64_t known) : known_(known) {}
  int64_t next(uint64_t value) {
    const bool told = (known_ >> index_++ & 1) != 0;
    return told && value <= INT64_MAX ? static_cast<int64_t>(value) : kUntold;
  }

 private:
  uint64_t known_;
  unsigned index_ = 0;
};

}  // namespace

CardLimits limits_of(const trace::Card& r) {
  Facts facts(r.known);
  CardLimits limits;
  limits.sm_mhz = facts.next(r.sm_mhz);
  limits.memory_mhz = facts.next(r.memory_mhz);
  limits.power_mw = facts.next(r.power_mw);
  limits.link_generation = facts.next(r.link_generation);
  limits.link_width = facts.next(r.link_width);
  return limits;
}

CardState state_of(const trace::CardState& r) {
  Facts facts(r.known);
  CardState state;
  state.sm_mhz = facts.next(r.sm_mhz);
  state.memory_mhz = facts.next(r.memory_mhz);
  state.power_mw = facts.next(r.power_mw);
  state.temperature_c = facts.next(r.temperature_c);
  state.throttle = facts.next(r.throttle);
  state.link_generation = facts.next(r.link_generation);
  state.link_width = facts.next(r.link_width);
  state.busy_pct = facts.next(r.busy_pct);
  state.processes = facts.next(r.processes);
  return state;
}

}  // namespace gpustall::collect
