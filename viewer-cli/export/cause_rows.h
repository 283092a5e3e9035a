// The members of a cause's row: site, stack, step, gain. Made from the tables once, since many
// slices share them.
#pragma once
#include <map>
#include <tuple>
#include <unordered_map>

#include "viewer-cli/export/timeline_state.h"

namespace gpustall::cli {

class CauseRows {
 public:
  explicit CauseRows(TimelineState& state);

  // Opens the row of a slice with this cause, its colour and the number of its stack.
  void open(collect::Cause cause, Track track, int64_t start, int64_t end,
            std::string_view category, collect::StackId stack);
  // Members of the open row's args.
  void site(collect::SiteId site);
  void stack(collect::StackId stack);
  // The predicted gain of the slice's row, where there is one.
  void gain(collect::DeviceIndex device, size_t slice);

 private:
  // Cause, file, line, function, object, group, as the model's rows have them.
  using Key = std::tuple<collect::Cause, std::string, int32_t, std::string, std::string, uint32_t>;
  const std::string& user_frames(collect::StackId stack);

  TimelineState& s_;
  std::vector<std::map<Key, collect::Gain>> gains_;        // by device
  std::vector<std::string> names_;                         // by cause, JSON
  std::unordered_map<uint32_t, std::string> user_frames_;  // by stack, JSON
};

// A colour of the old viewer's fixed list for each family; Perfetto colours by name.
const char* colour_of(collect::CauseFamily family);

}  // namespace gpustall::cli
