// Plays a script again with some of its time taken out, and tells when each step would have ended.
#pragma once
#include <vector>

#include "collector/analysis.h"
#include "collector/gain/script.h"

namespace gpustall::collect {

// What is taken out. Empty: the recording as it was.
class Edit {
 public:
  explicit Edit(const ReplayScript& script) : script_(&script) {}

  // Adds the repair of one cause: at this line only where the repair is a line's, everywhere else.
  // False where removing it is not a repair (device, cold, tool, unknown): nothing is added.
  bool add(Cause cause, SiteId site);
  bool empty() const { return rules_.empty(); }

  bool removes(Cause cause, SiteId site) const;
  bool pins(Cause cause, SiteId site) const;  // the copy stays, but neither blocks nor is staged

 private:
  struct Rule {
    Cause cause;
    SiteId site;
    bool everywhere, by_function;
  };
  bool matches(Cause cause, SiteId site) const;
  const ReplayScript* script_;
  std::vector<Rule> rules_;
};

// `steps.boundary` on its process's main thread; a step ends when host and device are through with
// it. Returns one time per boundary; comparable between replays of one script only.
std::vector<TraceTime> replay(const ReplayScript& script, const Recording& recording,
                              const Steps& steps, const Edit& edit);

// The same instants as recorded.
std::vector<TraceTime> recorded_boundaries(const ReplayScript& script, const Recording& recording,
                                           const Steps& steps);

}  // namespace gpustall::collect
