// What the repair of each cause takes out of a run.
#include "collector/gain/replay.h"

namespace gpustall::collect {
namespace {

enum class Scope : uint8_t { None, Line, Function, Everywhere };

// Loading is moved or sped up as a whole; sampled work is known by function; the rest by its line.
Scope scope_of(Cause cause) {
  switch (family_of(cause)) {
    case CauseFamily::Data:
      return Scope::Everywhere;
    case CauseFamily::Host:
      return Scope::Function;
    case CauseFamily::Copy:
      return cause == Cause::CopyPageable || cause == Cause::CopyPinCall ? Scope::Line
                                                                         : Scope::None;
    case CauseFamily::Sync:
    case CauseFamily::Alloc:
    case CauseFamily::Launch:
      return Scope::Line;
    default:
      return Scope::None;
  }
}

}  // namespace

bool Edit::add(Cause cause, SiteId site) {
  const Scope scope = scope_of(cause);
  if (scope == Scope::None) return false;
  rules_.push_back({cause, site, scope == Scope::Everywhere, scope == Scope::Function});
  return true;
}

bool Edit::matches(Cause cause, SiteId site) const {
  for (const Rule& rule : rules_) {
    if (rule.cause != cause) continue;
    if (rule.everywhere || rule.site == site) return true;
    if (!rule.by_function || raw(site) >= script_->sites.size() ||
        raw(rule.site) >= script_->sites.size())
      continue;
    const Site &a = script_->sites[raw(site)], &b = script_->sites[raw(rule.site)];
    if (a.file == b.file && a.function == b.function) return true;
  }
  return false;
}

bool Edit::removes(Cause cause, SiteId site) const {
  return cause != Cause::CopyPageable && matches(cause, site);
}

bool Edit::pins(Cause cause, SiteId site) const {
  return cause == Cause::CopyPageable && matches(cause, site);
}

}  // namespace gpustall::collect
