// The longest gaps, each with what it was made of; they open without a script.
#include <algorithm>
#include <map>

#include "viewer-cli/render/html/escape.h"
#include "viewer-cli/render/html/parts.h"
#include "viewer-cli/render/table.h"
#include "viewer-cli/render/units.h"

namespace gpustall::cli {

namespace {

using collect::GapPart;
using collect::LongGap;

constexpr size_t kShown = 12;        // the others are behind one more line to open
constexpr size_t kNameLength = 120;  // kernels of templates have names of thousands of characters

std::string share_of(int64_t ns, const LongGap& gap) {
  return percent(gap.ns > 0 ? static_cast<double>(ns) / static_cast<double>(gap.ns) : 0);
}

const GapPart* largest_part(const LongGap& gap) {
  const auto found =
      std::max_element(gap.parts.begin(), gap.parts.end(),
                       [](const GapPart& a, const GapPart& b) { return a.ns < b.ns; });
  return found == gap.parts.end() ? nullptr : &*found;
}

class GapsList {
 public:
  GapsList(const collect::Overview& overview, const Palette& palette, const Places& places,
           std::string id)
      : overview_(overview), palette_(palette), places_(places), id_(std::move(id)) {}

  std::string html(size_t most_gaps) const {
    std::string out = "<div class=\"gaps\">";
    const auto& gaps = overview_.longest;
    const size_t listed = std::min(gaps.size(), most_gaps);
    for (size_t i = 0; i < listed; ++i) {
      if (i == kShown)
        out += "<details class=\"more\"><summary>" + std::to_string(listed - kShown) +
               " more</summary>";
      out += gap(gaps[i], i);
    }
    if (listed > kShown) out += "</details>";
    return out + "</div>";
  }

 private:
  std::string gap(const LongGap& gap, size_t number) const {
    const GapPart* main = largest_part(gap);
    std::string series;
    for (const GapPart& part : gap.parts) {
      const std::string name = std::to_string(palette_.of(part.cause));
      if ((" " + series + " ").find(" " + name + " ") == std::string::npos)
        series += (series.empty() ? "" : " ") + name;
    }
    std::string out = "<details class=\"gap\" data-g=\"" + std::to_string(number) + "\" data-s=\"" +
                      series + "\"><summary><b>" + escaped(duration(static_cast<double>(gap.ns))) +
                      "</b><span>at " + escaped(duration(static_cast<double>(gap.start_ns)));
    if (gap.step >= 0) out += ", step " + grouped(static_cast<uint64_t>(gap.step) + 1);
    out += "</span><span>";
    if (main != nullptr) {
      out += "<i class=\"swatch " + palette_.style_of(main->cause).style + "\"></i>" +
             escaped(text_of(main->cause).id);
      if (main->frame != 0) out += " <em>" + escaped(place(main->frame)) + "</em>";
    }
    return out + "</span></summary>" + body(gap) + "</details>";
  }

  // "train.py:12" of "/home/u/train.py:12 main"
  std::string place(uint32_t frame) const {
    const std::string shown = places_.frame(overview_.frames[frame]);
    return shown.substr(0, shown.find(' '));
  }

  std::string body(const LongGap& gap) const {
    std::string strip, list;
    for (const GapPart& part : gap.parts) {
      const Series& series = palette_.style_of(part.cause);
      strip += "<i class=\"" + series.style + "\" style=\"flex:" + std::to_string(part.ns) +
               " 0 0\"></i>";
      list += "<li><i class=\"swatch " + series.style + "\"></i><b>" +
              escaped(duration(static_cast<double>(part.ns))) + "</b> " + share_of(part.ns, gap) +
              " " + escaped(text_of(part.cause).id);
      if (part.frame != 0)
        list += " <em>" + escaped(places_.frame(overview_.frames[part.frame])) + "</em>";
      list += "</li>";
    }
    if (gap.rest_ns > 0) {
      strip +=
          "<i class=\"f-other l1\" style=\"flex:" + std::to_string(gap.rest_ns) + " 0 0\"></i>";
      list += "<li><i class=\"swatch f-other l1\"></i><b>" +
              escaped(duration(static_cast<double>(gap.rest_ns))) + "</b> " +
              share_of(gap.rest_ns, gap) + " smaller parts</li>";
    }
    const char* order = gap.in_time_order ? "in the order of time" : "summed, largest first";
    return std::string("<div class=\"strip\">") + strip + "</div><ul>" + list +
           "</ul><p class=\"note\">Parts " + order + ". Ended by <code>" +
           escaped(cut(printable(gap.before), kNameLength)) + "</code></p>" + stack(gap);
  }

  // Many gaps have one stack: its frames stand in the page once, where it comes first.
  std::string stack(const LongGap& gap) const {
    if (gap.stack.empty()) return {};
    const std::string id = id_ + "-stack-";
    const auto [at, is_new] = stacks_.try_emplace(gap.stack, stacks_.size());
    if (!is_new)
      return "<p class=\"note\"><a href=\"#" + id + std::to_string(at->second) +
             "\">The stack of a longer gap</a></p>";
    std::string out = "<details class=\"whole-stack\" open id=\"" + id +
                      std::to_string(at->second) +
                      "\"><summary>Stack of the largest part</summary><ol class=\"stack\">";
    if (gap.stack.size() == collect::kMostStackFrames) out += "<li>&hellip;</li>";
    for (const uint32_t frame : gap.stack)
      out += "<li>" + escaped(cut(places_.frame(overview_.frames[frame]), kNameLength)) + "</li>";
    return out + "</ol></details>";
  }

  const collect::Overview& overview_;
  const Palette& palette_;
  const Places& places_;
  const std::string id_;
  mutable std::map<std::vector<uint32_t>, size_t> stacks_;  // seen, with their number
};

}  // namespace

std::string gaps_list(const View& view, const Palette& palette, const Places& places,
                      const std::string& id, size_t most_gaps) {
  if (!view.device->overview || view.device->overview->longest.empty()) return {};
  return GapsList(*view.device->overview, palette, places, id).html(most_gaps);
}

}  // namespace gpustall::cli
