#include "collector/analyze/stack_facts.h"

#include <unordered_map>

#include "collector/analyze/frame_kind.h"

namespace gpustall::collect {
namespace {

struct SiteHash {
  size_t operator()(const Site& s) const {
    const uint64_t mixed = (uint64_t(raw(s.file)) << 32 | raw(s.function)) * 0x9e3779b97f4a7c15ull;
    return static_cast<size_t>(mixed ^ (mixed >> 29) ^ static_cast<uint32_t>(s.line));
  }
};

bool is_comprehension(std::string_view function) {
  const std::string_view name = bare_name(function);
  return name == "<genexpr>" || name == "<listcomp>" || name == "<setcomp>" || name == "<dictcomp>";
}

}  // namespace

std::optional<Cause> owner_of_all(Callee callee) {
  switch (callee) {
    case Callee::Print:
      return Cause::SyncPrint;
    case Callee::Save:
      return Cause::HostCheckpoint;
    case Callee::Compile:
      return Cause::ColdCompile;
    case Callee::GraphCapture:
      return Cause::ColdGraph;
    default:
      return {};
  }
}

StackFacts::StackFacts(const Recording& recording) {
  std::vector<FrameKind> kinds;
  kinds.reserve(recording.frames.size());
  for (const Frame& frame : recording.frames)
    kinds.push_back(kind_of_frame(recording.text(frame.file), recording.text(frame.function)));

  const size_t n = recording.stacks.size();
  flags_.resize(n);
  callee_.resize(n);
  user_.resize(n);
  has_user_.resize(n);
  leaf_user_.resize(n);
  leaf_torch_.resize(n);
  python_.resize(n);
  site_.resize(n);
  std::unordered_map<Site, SiteId, SiteHash> known;
  for (size_t i = 0; i < n; ++i) {  // parents come before children
    const StackNode& node = recording.stacks[i];
    const FrameKind& kind = kinds[raw(node.frame)];
    const auto self = StackId(static_cast<uint32_t>(i));
    const Frame& frame = recording.frames[raw(node.frame)];
    const bool user = kind.owner == CodeOwner::User;
    leaf_user_[i] = user;
    leaf_torch_[i] = kind.owner == CodeOwner::Torch;
    python_[i] = node.parent != kNone<StackId> || !recording.text(frame.file).empty();
    flags_[i] = static_cast<uint16_t>(flags(node.parent) | kind.flags);
    if (user && any(node.parent, kWorkerLoop)) flags_[i] |= kWorkerUser;
    // What torch does is told by the frames inside the user's innermost one only: a closure that
    // an optimizer calls is the user's code again. Of those, the innermost counts, except inside of
    // what stays one thing whatever it is made of.
    const Callee outer = callee(node.parent);
    callee_[i] = user                                                  ? Callee::None
                 : kind.callee != Callee::None && !owner_of_all(outer) ? kind.callee
                                                                       : outer;
    bool inherits = !user && has_user_frame(node.parent);
    if (user && has_user_frame(node.parent) && is_comprehension(recording.text(frame.function))) {
      const Site& around = sites_[raw(site(node.parent))];
      inherits = around.file == frame.file && around.line == frame.line;
    }
    user_[i] = inherits ? user_node(node.parent) : self;
    has_user_[i] = user || inherits;
    if (inherits) {
      site_[i] = site(node.parent);
      continue;
    }
    const Site at{frame.file, frame.function, frame.line};
    const auto [entry, made] = known.try_emplace(at, SiteId(static_cast<uint32_t>(sites_.size())));
    if (made) sites_.push_back(at);
    site_[i] = entry->second;
  }
}

}  // namespace gpustall::collect
