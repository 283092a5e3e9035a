#include "collector/model/frame_texts.h"

namespace gpustall::collect {

uint32_t FrameTexts::of_site(const Analysis& analysis, SiteId site) {
  if (raw(site) >= analysis.sites.size()) return 0;
  const Site& at = analysis.sites[raw(site)];
  return number(at.file, at.line, at.function);
}

uint32_t FrameTexts::of_stack(StackId stack) {
  if (raw(stack) >= r_.stacks.size()) return 0;
  const Frame& at = r_.frames[raw(r_.stacks[raw(stack)].frame)];
  return number(at.file, at.line, at.function);
}

std::vector<uint32_t> FrameTexts::whole_stack(StackId stack, size_t most) {
  std::vector<uint32_t> frames;
  for (; raw(stack) < r_.stacks.size() && frames.size() < most;
       stack = r_.stacks[raw(stack)].parent)
    frames.push_back(of_stack(stack));
  return {frames.rbegin(), frames.rend()};
}

uint32_t FrameTexts::number(StringId file, int32_t line, StringId function) {
  std::string text(r_.text(file));
  text += ":" + std::to_string(line) + " ";
  text += r_.text(function);
  const auto [at, fresh] = known_.try_emplace(text, static_cast<uint32_t>(out_.frames.size()));
  if (fresh) out_.frames.push_back(std::move(text));
  return at->second;
}

}  // namespace gpustall::collect
