// One run of a side, one device of it: its steps and its rows, in the form in which runs are
// compared. Every quantity is a series over the same steps, and they tile the step time exactly.
#pragma once
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "collector/compare/sites.h"
#include "collector/model.h"

namespace gpustall::collect {

inline constexpr uint32_t kNoSite = 0xffffffffu;

struct RowKey {
  bool busy = false;
  Cause cause{};
  uint32_t site = kNoSite;  // of the SiteMatcher
  std::string object;       // without sizes and rates
  auto operator<=>(const RowKey&) const = default;
};

struct RunRow {
  std::vector<int64_t> ns;  // per compared step; one entry, of the whole time, without steps
  bool stepped = false;     // false: only the mean is known, and `ns` repeats it
  std::optional<ModelSite> site;
  std::string object;
  uint32_t period = 1;  // every_steps of the row
};

struct DeviceRun {
  bool has_steps = false;
  uint64_t steps = 0, left_out = 0;  // all, and the first that are not compared
  std::string step_basis;
  double seconds = 0;                     // of `span`, all of it
  std::vector<int64_t> span, busy, idle;  // per compared step, or one entry
  std::map<RowKey, RunRow> rows;          // of idle and busy; what they leave over is small
};

// The first steps that the run itself leaves out; nothing where it has no steps on that device.
std::optional<uint64_t> warmup_of(const Model& model, const ModelDevice& device);

// `left_out`: first steps that are not compared, at least the run's own warm-up. `per_step` false:
// everything over the whole recording.
DeviceRun device_run(const Model& model, const ModelDevice& device, bool per_step,
                     uint64_t left_out, SiteMatcher& sites);

}  // namespace gpustall::collect
