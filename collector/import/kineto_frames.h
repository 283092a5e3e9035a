// Names of Python functions as torch.profiler writes them, as frames and stacks of the Recording.
#pragma once
#include <functional>
#include <string>
#include <unordered_map>

#include "collector/read/tables.h"

namespace gpustall::collect {

struct ViewHash {
  using is_transparent = void;
  size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
};
template <typename Value>
using ByText = std::unordered_map<std::string, Value, ViewHash, std::equal_to<>>;

class KinetoFrames {
 public:
  explicit KinetoFrames(Tables& tables) : tables_(tables) {}

  // "train.py(12): step", "<built-in method item of Tensor object at 0x7f00>", "nn.Module:
  // Linear_0".
  FrameId frame(std::string_view raw_name);
  // "torch/a.py(3): f;train.py(12): main", innermost first; none if it is empty.
  StackId call_stack(std::string_view raw_list);
  StackId inside(StackId parent, const char* file, const char* function);

 private:
  Tables& tables_;
  ByText<FrameId> frames_;
  ByText<StackId> stacks_;
};

}  // namespace gpustall::collect
