// Which places of the program are the same in two runs of it. Between the runs lines may have been
// inserted or edited, files moved, the checkout may lie elsewhere: a place is known by its function
// and its source text, then by its order among the places of the function, and by its line last.
#pragma once
#include <cstdint>
#include <vector>

#include "collector/model.h"

namespace gpustall::collect {

struct Place {
  ModelSite site;
  uint64_t causes = 0;  // bit set by enumerator: what it is blamed for
  // All that was sampled in a function which launches nothing. It has the line that was hottest,
  // and in the next run that may be another one of the same loop.
  bool is_function = false;
};

class SiteMatcher {
 public:
  // The ids of one run's places (distinct by file, function, line), in their order. A place that
  // an earlier run had too keeps its id.
  std::vector<uint32_t> add(const std::vector<Place>& places);

 private:
  std::vector<Place> known_;  // by id, as the latest run saw it
};

}  // namespace gpustall::collect
