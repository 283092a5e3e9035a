#include "collector/gain/edit.h"

namespace gpustall::collect {

bool Edit::add(Cause cause, SiteId site) {
  switch (family_of(cause)) {
    case CauseFamily::Data:  // loading is moved or sped up as a whole
      everywhere_ |= bit_of(cause);
      break;
    case CauseFamily::Host:  // sampled work is known by its function
      reach_function(cause, site);
      break;
    case CauseFamily::Launch:
      if (cause == Cause::LaunchBlocking) {
        everywhere_ |= bit_of(cause);
        break;
      }
      for (Cause inside : {Cause::LaunchDispatch, Cause::LaunchCall, Cause::HostPython,
                           Cause::HostStarved, Cause::HostPageFault})
        reach(inside, site);
      break;
    case CauseFamily::Sync:
    case CauseFamily::Alloc:
    case CauseFamily::Copy:
      reach(cause, site);
      break;
    case CauseFamily::Cold:  // done once, where it comes again and again
      if (cause != Cause::ColdGraph && cause != Cause::ColdCompile && cause != Cause::ColdAutotune)
        return false;
      everywhere_ |= bit_of(cause);
      break;
    default:
      return false;
  }
  empty_ = false;
  return true;
}

void Edit::reach(Cause cause, SiteId site) {
  if (raw(site) < sites_->size()) at_[raw(site)] |= bit_of(cause);
}

void Edit::reach_function(Cause cause, SiteId site) {
  if (raw(site) >= sites_->size()) return;
  const Site& wanted = (*sites_)[raw(site)];
  for (uint32_t i = 0; i < sites_->size(); ++i)
    if ((*sites_)[i].file == wanted.file && (*sites_)[i].function == wanted.function)
      reach(cause, SiteId(i));
}

bool is_worker_time(Cause cause) {
  return cause == Cause::DataWorkerCpu || cause == Cause::DataWorkerRead ||
         cause == Cause::DataWorkerWait || cause == Cause::DataWorkerStarved;
}

}  // namespace gpustall::collect
