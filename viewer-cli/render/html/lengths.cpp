#include "viewer-cli/render/html/lengths.h"

#include <algorithm>
#include <numeric>

#include "viewer-cli/render/html/charts.h"
#include "viewer-cli/render/html/escape.h"
#include "viewer-cli/render/html/svg.h"
#include "viewer-cli/render/units.h"

namespace gpustall::cli {

namespace {

// "10 us" where a decade begins.
bool is_decade(int64_t ns) {
  while (ns >= 10 && ns % 10 == 0) ns /= 10;
  return ns == 1;
}

std::string decade_text(int64_t ns) {
  for (const auto& [unit, size] :
       {std::pair{" s", int64_t{1'000'000'000}}, std::pair{" ms", int64_t{1'000'000}},
        std::pair{" us", int64_t{1000}}})
    if (ns >= size) return std::to_string(ns / size) + unit;
  return std::to_string(ns) + " ns";
}

int64_t whole_of(const Lengths& lengths) {
  int64_t ns = 0;
  for (size_t i = 0; i < lengths.size(); ++i) ns += lengths.total_ns(i);
  return ns;
}

}  // namespace

int64_t Lengths::total_ns(size_t at) const {
  int64_t ns = 0;
  for (const auto& series : idle_ns) ns += series[at];
  return ns;
}

Lengths lengths_of(const collect::ModelDevice& device, const Palette& palette) {
  Lengths out;
  if (!device.overview) return out;
  const collect::GapLengths& all = device.overview->lengths;
  const auto first = static_cast<size_t>(
      std::find_if(all.gaps.begin(), all.gaps.end(), [](uint64_t n) { return n > 0; }) -
      all.gaps.begin());
  if (first == all.gaps.size()) return out;
  out.gaps.assign(all.gaps.begin() + static_cast<long>(first), all.gaps.end());
  for (size_t i = first; i <= all.gaps.size(); ++i)
    out.start_ns.push_back(collect::gap_length_start(i));
  out.idle_ns.assign(palette.size(), std::vector<int64_t>(out.size()));
  for (const collect::IdleSeries& series : all.idle)
    for (size_t i = 0; i < out.size(); ++i)
      out.idle_ns[palette.of(series.cause)][i] += series.ns[first + i];
  return out;
}

std::string lengths_sentence(const Lengths& lengths) {
  const int64_t whole = whole_of(lengths);
  const uint64_t all = std::accumulate(lengths.gaps.begin(), lengths.gaps.end(), uint64_t{0});
  if (whole <= 0) return {};
  size_t at = lengths.size();
  int64_t ns = 0;
  uint64_t count = 0;
  while (at > 0 && 2 * ns < whole) {
    --at;
    ns += lengths.total_ns(at);
    count += lengths.gaps[at];
  }
  std::string out = grouped(all) + (all == 1 ? " gap" : " gaps");
  if (count < all)
    out += (count == 1 ? "; the longest makes up "
                       : "; the " + grouped(count) + " of " + decade_text(lengths.start_ns[at]) +
                             " and longer make up ") +
           percent(static_cast<double>(ns) / static_cast<double>(whole)) + " of the idle time";
  return out + ".";
}

std::string lengths_figure(const Lengths& lengths, const Palette& palette) {
  double highest = 1;
  for (size_t i = 0; i < lengths.size(); ++i)
    highest = std::max(highest, static_cast<double>(lengths.total_ns(i)));
  std::string out = figure_open("lengths", "Idle time by the length of its gap; arrow keys read");
  out += svg_open(lengths.size(), " data-scale=\"" + number(highest) + "\"");
  std::vector<double> height(lengths.size());
  for (size_t s = 0; s < palette.size(); ++s) {
    Band band;
    for (size_t i = 0; i < lengths.size(); ++i) {
      band.low.push_back(kSvgHeight - svg_height(height[i], highest));
      height[i] += static_cast<double>(lengths.idle_ns[s][i]);
      band.high.push_back(kSvgHeight - svg_height(height[i], highest));
    }
    out += path_element(palette.series()[s].style, std::to_string(s), band);
  }
  out += "</svg>" + value_axis(highest) + "<span class=\"cursor\"></span></div>";
  out += "<div class=\"axis decades\">";
  for (size_t i = 0; i < lengths.size(); ++i) {
    if (!is_decade(lengths.start_ns[i])) continue;
    const double left = static_cast<double>(i) / static_cast<double>(lengths.size());
    out += "<span style=\"left:" + number(left * 100) + "%\">" +
           escaped(decade_text(lengths.start_ns[i])) + "</span>";
  }
  return out + "</div>" + figure_close();
}

}  // namespace gpustall::cli
