#include "viewer-cli/render/html/flame.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "viewer-cli/render/html/escape.h"
#include "viewer-cli/render/units.h"

namespace gpustall::cli {

namespace {

// "train.py:12 main" is read better with the function first.
std::string call_text(const std::string& frame, const Places& places) {
  const std::string shown = places.frame(frame);
  if (frame.front() == ':') return shown;  // no file
  const size_t space = shown.find(' ', shown.rfind(':'));
  if (space == std::string::npos) return shown;
  return shown.substr(space + 1) + "  " + shown.substr(0, space);
}

// The import machinery: six frames for each import, and nobody's fault.
bool is_machinery(const std::string& frame) {
  return frame.rfind("<frozen ", 0) == 0;
}

class Layout {
 public:
  Layout(const collect::Overview& overview, const Palette& palette, const Places& places,
         double narrowest)
      : overview_(overview), palette_(palette), places_(places), narrowest_(narrowest) {
    const size_t n = overview.tree.size();
    total_.resize(n);
    children_.resize(n);
    for (size_t i = n; i-- > 0;) {
      for (const auto& [cause, ns] : overview.tree[i].own_ns) total_[i] += ns;
      if (i > 0) total_[overview.tree[i].parent] += total_[i];
      if (i > 0) children_[overview.tree[i].parent].push_back(i);
    }
  }

  std::vector<FlameBox> boxes() {
    if (total_.empty() || total_[0] <= 0) return {};
    FlameBox root;
    root.ns = total_[0];
    root.text = "all idle time";
    root.detail = root.text + ": " + duration(static_cast<double>(root.ns));
    boxes_.push_back(root);
    below({0}, 0);
    return std::move(boxes_);
  }

 private:
  using Nodes = std::vector<size_t>;  // of the tree; drawn as one box
  struct Below {
    std::map<uint32_t, Nodes> calls;  // by frame
    std::map<size_t, int64_t> own;    // by series
  };

  double share(int64_t ns) const {
    return static_cast<double>(ns) / static_cast<double>(total_[0]);
  }
  int64_t total(const Nodes& nodes) const {
    int64_t ns = 0;
    for (const size_t node : nodes) ns += total_[node];
    return ns;
  }

  void add(uint32_t parent, int series, int64_t ns, double left, std::string text) {
    FlameBox box{parent, series, ns, boxes_[parent].depth + 1, left, std::move(text), {}};
    box.detail = box.text + ": " + duration(static_cast<double>(ns)) + " idle, " +
                 percent(share(ns)) + " of it";
    boxes_.push_back(std::move(box));
  }

  void collect_below(size_t node, Below& below) const {
    for (const auto& [cause, ns] : overview_.tree[node].own_ns) below.own[palette_.of(cause)] += ns;
    for (const size_t child : children_[node]) {
      const uint32_t frame = overview_.tree[child].frame;
      if (is_machinery(overview_.frames[frame]))
        collect_below(child, below);
      else
        below.calls[frame].push_back(child);
    }
  }

  // Calls first, the widest to the left; then what belongs to this call itself, by series.
  void below(const Nodes& nodes, uint32_t box) {
    Below found;
    for (const size_t node : nodes) collect_below(node, found);
    std::vector<std::pair<uint32_t, Nodes>> calls(found.calls.begin(), found.calls.end());
    std::stable_sort(calls.begin(), calls.end(), [this](const auto& a, const auto& b) {
      return total(a.second) > total(b.second);
    });
    double left = boxes_[box].left;
    for (const auto& [frame, inside] : calls) {
      const int64_t ns = total(inside);
      if (share(ns) >= narrowest_) {
        const auto made = static_cast<uint32_t>(boxes_.size());
        add(box, -1, ns, left, call_text(overview_.frames[frame], places_));
        below(inside, made);
      }
      left += share(ns);
    }
    for (const auto& [series, ns] : found.own) {
      if (share(ns) >= narrowest_)
        add(box, static_cast<int>(series), ns, left, palette_.series()[series].id);
      left += share(ns);
    }
  }

  const collect::Overview& overview_;
  const Palette& palette_;
  const Places& places_;
  const double narrowest_;
  std::vector<int64_t> total_;
  std::vector<Nodes> children_;
  std::vector<FlameBox> boxes_;
};

std::string percentage(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.5g%%", share * 100);
  return text;
}

}  // namespace

std::vector<FlameBox> flame_boxes(const collect::ModelDevice& device, const Palette& palette,
                                  const Places& places, double narrowest) {
  if (!device.overview) return {};
  return Layout(*device.overview, palette, places, narrowest).boxes();
}

std::string flame_figure(const std::vector<FlameBox>& boxes, const Palette& palette) {
  uint32_t deepest = 0;
  for (const FlameBox& box : boxes) deepest = std::max(deepest, box.depth);
  std::string out =
      "<div class=\"flame\" role=\"tree\" aria-label=\"Idle time by stack\"><div style=\"height:" +
      std::to_string(deepest + 1) + "lh\">";
  for (const FlameBox& box : boxes) {
    const std::string style =
        box.series < 0 ? "call" : palette.series()[static_cast<size_t>(box.series)].style;
    out += "<b role=\"treeitem\" aria-level=\"" + std::to_string(box.depth + 1) + "\" tabindex=\"" +
           (box.depth == 0 ? "0" : "-1") + "\" class=\"" + style +
           "\" style=\"--x:" + percentage(box.left) +
           ";--w:" + percentage(static_cast<double>(box.ns) / static_cast<double>(boxes[0].ns)) +
           ";--y:" + std::to_string(box.depth) + "\" title=\"" + escaped(box.detail) + "\">" +
           escaped(box.text) + "</b>";
  }
  return out + "</div></div>";
}

}  // namespace gpustall::cli
