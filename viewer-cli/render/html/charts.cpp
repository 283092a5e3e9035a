// Coordinates are whole numbers of thousandths of the picture's height, and bins of its width.
#include "viewer-cli/render/html/charts.h"

#include <algorithm>
#include <cmath>

#include "viewer-cli/render/html/escape.h"
#include "viewer-cli/render/units.h"

namespace gpustall::cli {

namespace {

constexpr int kHeight = 1000;
constexpr size_t kMostBars = 120;  // more are drawn without space between them
constexpr size_t kDistributionBars = 48;

// One band of a stack: from `low` to `high` in every bin, thousandths of the height, from the top.
struct Band {
  std::vector<int> low, high;
};

std::string number(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (!text.empty() && text.back() == '.') text.pop_back();
  return text;
}

// Bars with space between them when there are few, else one outline.
std::string path_of(const Band& band) {
  const size_t n = band.low.size();
  std::string d;
  if (n <= kMostBars) {
    for (size_t i = 0; i < n; ++i) {
      if (band.low[i] == band.high[i]) continue;
      d += "M" + std::to_string(i) + ".1 " + std::to_string(band.low[i]) + "h.8V" +
           std::to_string(band.high[i]) + "h-.8z";
    }
    return d;
  }
  // Stretches without anything are left out; each stretch goes out along `high`, back along `low`.
  for (size_t i = 0; i < n;) {
    if (band.low[i] == band.high[i]) {
      ++i;
      continue;
    }
    const size_t first = i;
    d += "M" + std::to_string(first) + " " + std::to_string(band.low[first]);
    for (; i < n && band.low[i] != band.high[i]; ++i)
      d += "V" + std::to_string(band.high[i]) + "h1";
    for (size_t back = i; back-- > first;) d += "V" + std::to_string(band.low[back]) + "h-1";
    d += "z";
  }
  return d;
}

std::string path_element(const std::string& style, const std::string& series, const Band& band) {
  return "<path class=\"" + style + "\" data-s=\"" + series + "\" d=\"" + path_of(band) + "\"/>";
}

std::string svg_open(size_t bins, const char* more = "") {
  return "<svg viewBox=\"0 0 " + std::to_string(bins) + " " + std::to_string(kHeight) +
         "\" preserveAspectRatio=\"none\" aria-hidden=\"true\"" + more + ">";
}

int scaled(double value, double whole) {
  return static_cast<int>(std::lround(std::clamp(value / whole, 0.0, 1.0) * kHeight));
}

// Steps that take far longer than the others (the first ones) would flatten all: the scale ends at
// half more than what 95 of 100 steps take, and what is higher is cut and said.
double step_scale(const Bins& bins, uint64_t& higher) {
  std::vector<double> means;
  for (size_t i = 0; i < bins.size(); ++i)
    means.push_back(static_cast<double>(bins.total_ns(i)) / static_cast<double>(bins.in_bin(i)));
  std::vector<double> sorted = means;
  std::sort(sorted.begin(), sorted.end());
  const double p95 = sorted[(sorted.size() - 1) * 95 / 100];
  const double scale = std::max(1.0, std::min(sorted.back(), p95 * 1.5));
  higher = static_cast<uint64_t>(
      std::count_if(means.begin(), means.end(), [scale](double mean) { return mean > scale; }));
  return scale;
}

// A round number of at most a third of the whole, for two or three lines across.
double round_tick(double whole) {
  const double rough = whole / 3;
  const double power = std::pow(10, std::floor(std::log10(std::max(rough, 1e-9))));
  for (const double factor : {5.0, 2.0, 1.0})
    if (factor * power <= rough) return factor * power;
  return power;
}

std::string value_axis(double scale) {
  std::string out;
  const double tick = round_tick(scale);
  for (double at = tick; at < scale * 0.97; at += tick) {
    out += "<span class=\"tick\" style=\"bottom:" + number(at / scale * 100) + "%\"><span>" +
           escaped(duration(at)) + "</span></span>";
  }
  return out;
}

std::string axis(const std::string& left, const std::string& middle, const std::string& right) {
  return "<div class=\"axis\"><span>" + escaped(left) + "</span><span>" + escaped(middle) +
         "</span><span>" + escaped(right) + "</span></div>";
}

std::string figure_open(const char* kind, const char* label) {
  return std::string("<figure class=\"chart ") + kind + "\" data-chart=\"" + kind +
         "\" tabindex=\"0\" role=\"group\" aria-label=\"" + label + "\"><div class=\"plot\">";
}

constexpr const char* kReadout =
    "<output class=\"readout\" aria-live=\"polite\"></output></figure>";

}  // namespace

std::string steps_figure(const Bins& bins, const Palette& palette, const View& view) {
  uint64_t higher = 0;
  const double scale = step_scale(bins, higher);
  std::string out = figure_open("steps", "Time per step, by cause; arrow keys read single steps");
  out += svg_open(bins.size(), (" data-scale=\"" + number(scale) + "\"").c_str());
  std::vector<double> height(bins.size());
  const auto band = [&](const std::vector<int64_t>& ns) {
    Band made;
    for (size_t i = 0; i < bins.size(); ++i) {
      made.low.push_back(kHeight - scaled(height[i], scale));
      height[i] += static_cast<double>(ns[i]) / static_cast<double>(bins.in_bin(i));
      made.high.push_back(kHeight - scaled(height[i], scale));
    }
    return made;
  };
  out += path_element("busy strong", "busy", band(bins.busy_ns));
  for (size_t s = 0; s < palette.size(); ++s) {
    out += path_element(palette.series()[s].style, std::to_string(s), band(bins.idle_ns[s]));
  }
  out += "</svg>";
  const collect::ModelProcess* process = view.process;
  if (process != nullptr && process->steps && process->steps->warmup > 0) {
    const double share =
        static_cast<double>(process->steps->warmup) / static_cast<double>(bins.count);
    out += "<span class=\"warmup\" style=\"width:" + number(std::min(1.0, share) * 100) +
           "%\"><span>warm-up</span></span>";
  }
  out += value_axis(scale) + "<span class=\"cursor\"></span></div>";
  std::string middle = bins.per_bin == 1 ? "step" : "step (mean of " + grouped(bins.per_bin) + ")";
  if (higher > 0) {
    middle +=
        ", " + grouped(higher) + (higher == 1 ? " is" : " are") + " longer than shown, up to " +
        duration(static_cast<double>(*std::max_element(bins.most_ns.begin(), bins.most_ns.end())));
  }
  return out + axis("1", middle, grouped(bins.count)) + kReadout;
}

std::string timeline_figure(const Bins& bins, const Palette& palette) {
  std::string out =
      figure_open("time", "Busy share over time, and what the GPU waited for; arrow keys read");
  const auto share = [&](size_t bin, double ns) {
    return scaled(ns, std::max<double>(1, static_cast<double>(bins.in_bin(bin))));
  };
  Band busy;
  std::vector<double> depth(bins.size());
  for (size_t i = 0; i < bins.size(); ++i) {
    busy.low.push_back(kHeight);
    busy.high.push_back(kHeight - share(i, static_cast<double>(bins.busy_ns[i])));
  }
  out += "<div class=\"up\">" + svg_open(bins.size()) + path_element("busy strong", "busy", busy) +
         "</svg><span class=\"tick\" style=\"bottom:100%\"><span>busy 100 %</span></span></div>";
  out += "<div class=\"down\">" + svg_open(bins.size());
  for (size_t s = 0; s < palette.size(); ++s) {
    Band band;
    for (size_t i = 0; i < bins.size(); ++i) {
      band.low.push_back(share(i, depth[i]));
      depth[i] += static_cast<double>(bins.idle_ns[s][i]);
      band.high.push_back(share(i, depth[i]));
    }
    out += path_element(palette.series()[s].style, std::to_string(s), band);
  }
  out += "</svg><span class=\"tick\" style=\"bottom:0\"><span>idle 100 %</span></span></div>";
  out += "<span class=\"cursor\"></span><span class=\"mark\"></span></div>";
  const auto span = static_cast<double>(bins.count);
  return out + axis("0 s", duration(span / 2), duration(span)) + kReadout;
}

std::string distribution_figure(const View& view) {
  const collect::ModelProcess* process = view.process;
  if (process == nullptr || !process->steps || process->steps->warmup >= process->step_ns.size())
    return {};
  const std::vector<int64_t> steps(
      process->step_ns.begin() + static_cast<long>(process->steps->warmup), process->step_ns.end());
  if (steps.size() < 2) return {};
  const auto [least, most] = std::minmax_element(steps.begin(), steps.end());
  // Rare, much longer steps share the last bar.
  const auto end = static_cast<double>(
      std::min(*most, process->steps->p95_ns + (process->steps->p95_ns - *least) + 1));
  const auto start = static_cast<double>(*least);
  const double width = std::max(1.0, (end - start) / kDistributionBars);
  std::vector<uint64_t> counts(kDistributionBars);
  uint64_t beyond = 0;
  for (const int64_t ns : steps) {
    const auto bar = static_cast<size_t>((static_cast<double>(ns) - start) / width);
    ++counts[std::min(bar, kDistributionBars - 1)];
    if (static_cast<double>(ns) > end) ++beyond;
  }
  const uint64_t highest = *std::max_element(counts.begin(), counts.end());
  Band band;
  for (const uint64_t count : counts) {
    band.low.push_back(kHeight);
    band.high.push_back(kHeight - scaled(static_cast<double>(count), static_cast<double>(highest)));
  }
  std::string out = "<figure class=\"chart dist\"><div class=\"plot\">" + svg_open(counts.size()) +
                    path_element("busy strong", "busy", band) + "</svg>";
  const auto mark = [&](int64_t ns, const char* label, bool before) {
    const double at =
        std::clamp((static_cast<double>(ns) - start) / (width * kDistributionBars), 0.0, 1.0);
    out += std::string("<span class=\"quantile") + (before && at > 0.2 ? " before" : "") +
           "\" style=\"left:" + number(at * 100) + "%\"><span>" + label + " " +
           escaped(duration(static_cast<double>(ns))) + "</span></span>";
  };
  mark(process->steps->p50_ns, "median", true);
  mark(process->steps->p95_ns, "95 %", false);
  const std::string right = beyond == 0
                                ? duration(end)
                                : duration(end) + " and longer (" + grouped(beyond) + ", up to " +
                                      duration(static_cast<double>(*most)) + ")";
  return out + "</div>" +
         axis(duration(start), "step time, " + grouped(steps.size()) + " steps", right) +
         "</figure>";
}

}  // namespace gpustall::cli
