// Stacks of bands, drawn as svg.h says.
#include "viewer-cli/render/html/charts.h"

#include <algorithm>
#include <cmath>

#include "viewer-cli/render/html/escape.h"
#include "viewer-cli/render/html/histogram.h"
#include "viewer-cli/render/html/svg.h"
#include "viewer-cli/render/units.h"

namespace gpustall::cli {

namespace {

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

}  // namespace

std::string value_axis(double scale) {
  std::string out;
  const double tick = round_tick(scale);
  for (double at = tick; at < scale * 0.97; at += tick) {
    out += "<span class=\"tick\" style=\"bottom:" + number(at / scale * 100) + "%\"><span>" +
           escaped(duration(at)) + "</span></span>";
  }
  return out;
}

std::string figure_open(const char* kind, const char* label) {
  return std::string("<figure class=\"chart ") + kind + "\" data-chart=\"" + kind +
         "\" tabindex=\"0\" role=\"group\" aria-label=\"" + label + "\"><div class=\"plot\">";
}

std::string figure_close() {
  return "<output class=\"readout\" aria-live=\"polite\"></output></figure>";
}

std::string steps_figure(const Bins& bins, const Palette& palette, const View& view) {
  uint64_t higher = 0;
  const double scale = step_scale(bins, higher);
  std::string out = figure_open(
      "steps",
      "Time per step, by cause; arrow keys read single steps, with Shift they select some");
  out += svg_open(bins.size(), " data-scale=\"" + number(scale) + "\"");
  std::vector<double> height(bins.size());
  const auto band = [&](const std::vector<int64_t>& ns) {
    Band made;
    for (size_t i = 0; i < bins.size(); ++i) {
      made.low.push_back(kSvgHeight - svg_height(height[i], scale));
      height[i] += static_cast<double>(ns[i]) / static_cast<double>(bins.in_bin(i));
      made.high.push_back(kSvgHeight - svg_height(height[i], scale));
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
  return out + axis("1", middle, grouped(bins.count)) + figure_close();
}

std::string timeline_figure(const Bins& bins, const Palette& palette) {
  std::string out = figure_open(
      "time",
      "Busy share over time, and what the GPU waited for; arrow keys read, with Shift they "
      "select a part");
  const auto share = [&](size_t bin, double ns) {
    return svg_height(ns, std::max<double>(1, static_cast<double>(bins.in_bin(bin))));
  };
  Band busy;
  std::vector<double> depth(bins.size());
  for (size_t i = 0; i < bins.size(); ++i) {
    busy.low.push_back(kSvgHeight);
    busy.high.push_back(kSvgHeight - share(i, static_cast<double>(bins.busy_ns[i])));
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
  return out + axis("0 s", duration(span / 2), duration(span)) + figure_close();
}

std::string distribution_figure(const View& view) {
  const collect::ModelProcess* process = view.process;
  if (process == nullptr || !process->steps || process->steps->warmup >= process->step_ns.size())
    return {};
  return histogram({process->step_ns.begin() + static_cast<long>(process->steps->warmup),
                    process->step_ns.end()});
}

}  // namespace gpustall::cli
