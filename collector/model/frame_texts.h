// The frames that an overview names, each once.
#pragma once
#include <string>
#include <unordered_map>

#include "collector/analysis.h"
#include "collector/overview.h"

namespace gpustall::collect {

class FrameTexts {
 public:
  FrameTexts(const Recording& recording, Overview& overview) : r_(recording), out_(overview) {}
  uint32_t of_site(const Analysis& analysis, SiteId site);
  uint32_t of_stack(StackId stack);  // its innermost frame
  // All of it, outermost first, but at most the innermost `most`.
  std::vector<uint32_t> whole_stack(StackId stack, size_t most);

 private:
  uint32_t number(StringId file, int32_t line, StringId function);
  const Recording& r_;
  Overview& out_;
  std::unordered_map<std::string, uint32_t> known_;
};

}  // namespace gpustall::collect
