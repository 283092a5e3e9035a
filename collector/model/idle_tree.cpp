#include "collector/model/idle_tree.h"

#include <algorithm>
#include <array>
#include <map>

namespace gpustall::collect {
namespace {

constexpr int64_t kThinnest = 1000;  // a branch below idle / kThinnest is cut
constexpr size_t kMostNodes = 2000;  // deep recursion: the thinnest branches go first

// One more than the stack's id, so that "no stack" is 0: the root.
using Node = uint32_t;

Node node_of(const Recording& r, StackId stack) {
  return raw(stack) < r.stacks.size() ? raw(stack) + 1 : 0;
}

Node parent_of(const Recording& r, Node node) {
  return node_of(r, r.stacks[node - 1].parent);
}

struct Weights {
  std::map<std::pair<Node, Cause>, int64_t> own;
  std::vector<int64_t> total;  // with all that lies below

  // Slices come in turns of a few kinds: the sum of one kind is looked up where it was last.
  void add(Node node, Cause cause, int64_t ns) {
    Recent& recent = recent_[(node * 64 + static_cast<unsigned>(cause)) % recent_.size()];
    if (recent.sum == nullptr || recent.node != node || recent.cause != cause)
      recent = {node, cause, &own[{node, cause}]};
    *recent.sum += ns;
    total[node] += ns;
  }

 private:
  struct Recent {
    Node node = 0;
    Cause cause{};
    int64_t* sum = nullptr;
  };
  std::array<Recent, 4096> recent_;
};

Weights weigh(const Recording& r, const Analysis& a, DeviceIndex device) {
  Weights w;
  w.total.resize(r.stacks.size() + 1);
  for (size_t s = 0; s < a.slices.size(); ++s) {
    if (a.gaps.device[a.slices.gap[s]] != device) continue;
    const Node node = node_of(r, a.slices.stack[s]);
    w.add(node, a.slices.cause[s], a.slices.end[s] - a.slices.start[s]);
  }
  for (Node node = static_cast<Node>(w.total.size()) - 1; node > 0; --node)
    w.total[parent_of(r, node)] += w.total[node];
  return w;
}

// A child never weighs more than its parent and comes later: what is kept hangs together.
std::vector<Node> kept_nodes(const std::vector<int64_t>& total) {
  std::vector<Node> kept;
  for (Node node = 0; node < total.size(); ++node)
    if (node == 0 || total[node] > total[0] / kThinnest) kept.push_back(node);
  std::stable_sort(kept.begin() + 1, kept.end(),
                   [&](Node a, Node b) { return total[a] > total[b]; });
  if (kept.size() > kMostNodes) kept.resize(kMostNodes);
  std::sort(kept.begin(), kept.end());
  return kept;
}

}  // namespace

std::vector<IdleNode> idle_tree(const Recording& r, const Analysis& a, DeviceIndex device,
                                FrameTexts& frames) {
  const Weights w = weigh(r, a, device);
  std::vector<IdleNode> tree;
  std::vector<uint32_t> place(w.total.size());  // in the tree: of the node, or of what it is cut to
  std::vector<bool> kept(w.total.size());
  for (const Node node : kept_nodes(w.total)) kept[node] = true;
  for (Node node = 0; node < w.total.size(); ++node) {
    const uint32_t parent = node == 0 ? 0 : place[parent_of(r, node)];
    place[node] = parent;
    if (!kept[node]) continue;
    place[node] = static_cast<uint32_t>(tree.size());
    tree.push_back({parent, node == 0 ? 0 : frames.of_stack(StackId{node - 1}), {}});
  }
  std::map<std::pair<uint32_t, Cause>, int64_t> own;
  for (const auto& [key, ns] : w.own) own[{place[key.first], key.second}] += ns;
  for (const auto& [key, ns] : own) tree[key.first].own_ns.emplace_back(key.second, ns);
  return tree;
}

}  // namespace gpustall::collect
