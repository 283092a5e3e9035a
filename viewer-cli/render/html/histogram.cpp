#include "viewer-cli/render/html/histogram.h"

#include <algorithm>

#include "viewer-cli/render/html/escape.h"
#include "viewer-cli/render/html/svg.h"
#include "viewer-cli/render/units.h"

namespace gpustall::cli {

namespace {

constexpr size_t kBars = 48;
constexpr double kRoomBefore = 0.2;  // of the width: a label needs it to stand left of its line

std::string time_text(double ns) {
  return escaped(duration(ns));
}

// As the model's quantiles.
double quantile(const std::vector<int64_t>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1) + 0.5;
  return static_cast<double>(sorted[static_cast<size_t>(at)]);
}

// What is beyond twice the way from the least to the 95th of a hundred shares the last bar.
double sensible_end(const std::vector<int64_t>& sorted) {
  const auto least = static_cast<double>(sorted.front());
  return std::min(static_cast<double>(sorted.back()), 2 * quantile(sorted, 0.95) - least + 1);
}

struct Scale {
  double start = 0, end = 0;
  double width() const { return std::max(1.0, (end - start) / static_cast<double>(kBars)); }
  double place(double ns) const {
    return std::clamp((ns - start) / (width() * static_cast<double>(kBars)), 0.0, 1.0);
  }
};

std::string mark(const Scale& scale, double ns, const char* label, bool before) {
  const double at = scale.place(ns);
  return std::string("<span class=\"quantile") + (before && at > kRoomBefore ? " before" : "") +
         "\" style=\"left:" + number(at * 100) + "%\"><span>" + label + " " + time_text(ns) +
         "</span></span>";
}

std::string plot(const std::vector<int64_t>& sorted, const Scale& scale, const std::string& name) {
  std::vector<uint64_t> counts(kBars);
  for (const int64_t ns : sorted) {
    const double bar = std::max(0.0, (static_cast<double>(ns) - scale.start) / scale.width());
    ++counts[std::min(static_cast<size_t>(bar), kBars - 1)];
  }
  const auto highest = static_cast<double>(*std::max_element(counts.begin(), counts.end()));
  Band band;
  for (const uint64_t count : counts) {
    band.low.push_back(kSvgHeight);
    band.high.push_back(kSvgHeight - svg_height(static_cast<double>(count), highest));
  }
  std::string out = "<div class=\"plot\">" + svg_open(kBars) +
                    path_element("busy strong", "busy", band) + "</svg>" +
                    mark(scale, quantile(sorted, 0.5), "median", true) +
                    mark(scale, quantile(sorted, 0.95), "95 %", false);
  if (!name.empty()) out += "<span class=\"name\">" + escaped(name) + "</span>";
  return out + "</div>";
}

std::string scale_axis(const Scale& scale, const std::vector<const std::vector<int64_t>*>& all) {
  uint64_t steps = 0, beyond = 0;
  int64_t longest = 0;
  for (const std::vector<int64_t>* sorted : all) {
    steps += sorted->size();
    longest = std::max(longest, sorted->back());
    beyond += static_cast<uint64_t>(std::count_if(sorted->begin(), sorted->end(), [&](int64_t ns) {
      return static_cast<double>(ns) > scale.end;
    }));
  }
  std::string right = duration(scale.end);
  if (beyond > 0)
    right += " and longer (" + grouped(beyond) + ", up to " +
             duration(static_cast<double>(longest)) + ")";
  return axis(duration(scale.start), "step time, " + grouped(steps) + " steps", right);
}

}  // namespace

std::string histogram(const std::vector<int64_t>& steps_ns) {
  if (steps_ns.size() < 2) return {};
  std::vector<int64_t> sorted = steps_ns;
  std::sort(sorted.begin(), sorted.end());
  const Scale scale{static_cast<double>(sorted.front()), sensible_end(sorted)};
  return "<figure class=\"chart dist\">" + plot(sorted, scale, "") + scale_axis(scale, {&sorted}) +
         "</figure>";
}

std::string two_histograms(const NamedSteps& upper, const NamedSteps& lower) {
  if (upper.second.size() < 2 || lower.second.size() < 2) return {};
  std::vector<int64_t> a = upper.second, b = lower.second;
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  const Scale scale{static_cast<double>(std::min(a.front(), b.front())),
                    std::max(sensible_end(a), sensible_end(b))};
  return "<figure class=\"chart dist\">" + plot(a, scale, upper.first) +
         plot(b, scale, lower.first) + scale_axis(scale, {&a, &b}) + "</figure>";
}

}  // namespace gpustall::cli
