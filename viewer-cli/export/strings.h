// The strings of a recording as an export may show them: valid UTF-8, and without the names of
// users that paths carry ("/home/alice/train.py" is "/home/~/train.py"). Each is made once.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "collector/recording.h"

namespace gpustall::cli {

// The component behind every /home/ and /Users/ is a user's name.
std::string without_user_names(std::string_view text);

class ExportStrings {
 public:
  explicit ExportStrings(const collect::Recording& recording);

  const std::string& text(collect::StringId id);
  // In quotes, escaped, for JSON.
  const std::string& json(collect::StringId id);
  // "train.py:12 main", without the directories.
  std::string place(collect::StringId file, int32_t line, collect::StringId function);
  // "torch/nn/modules/linear.py:114": below where packages are installed.
  const std::string& frame_place(collect::FrameId frame);

 private:
  const collect::Recording& recording_;
  std::vector<std::string> texts_, json_;  // by StringId; empty: not made yet
  std::vector<std::string> places_;        // by FrameId; likewise
};

}  // namespace gpustall::cli
