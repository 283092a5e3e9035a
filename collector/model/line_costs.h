// What a line of the program costs in all: one line may have several causes, and one repair of it
// may remove them together.
#pragma once
#include <vector>

#include "collector/model.h"

namespace gpustall::collect {

struct LineCost {
  int64_t ns = 0;
  std::vector<const CauseRow*> rows;  // all at that line, largest first; at least one
};

// Lines of the rows' sites, largest first; rows without a line of a file are in none. The pointers
// live as long as `rows`.
std::vector<LineCost> line_costs(const std::vector<CauseRow>& rows);

struct CauseCost {
  Cause cause{};
  int64_t ns = 0;
};
// The causes of a line that have a tenth of it, each once, largest first.
std::vector<CauseCost> main_causes(const LineCost& line);

}  // namespace gpustall::collect
