// What an exposed copy's row says about it: direction, size, rate.
#pragma once
#include <map>
#include <string>
#include <tuple>

#include "collector/analysis.h"

namespace gpustall::collect {

class BusyObjects {
 public:
  // A stand-in for the direction, so that rows of different directions stay apart.
  static StringId key_of(const Recording& recording, uint32_t activity) {
    return StringId{recording.activities.copy_kind[activity]};
  }
  void add(const Recording& recording, Cause cause, SiteId site, StringId key, uint32_t activity);
  std::string text(Cause cause, SiteId site, StringId key) const;

 private:
  struct Sum {
    uint64_t bytes = 0, copies = 0;
    int64_t ns = 0;
    uint32_t last = 0xffffffffu;
  };
  std::map<std::tuple<Cause, SiteId, StringId>, Sum> sums_;
};

}  // namespace gpustall::collect
