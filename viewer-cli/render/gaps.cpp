// Exact integers throughout: this output is compared with logs, digit by digit.
#include "viewer-cli/render/gaps.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "viewer-cli/render/kernel_name.h"
#include "viewer-cli/render/table.h"
#include "viewer-cli/render/units.h"

namespace gpustall::cli {

namespace {

using collect::Analysis;
using collect::Cause;
using collect::Recording;
using Json = nlohmann::ordered_json;

constexpr size_t kSlicesListed = 12;  // in the order of time; more are summed

std::vector<std::string> files_of(const Recording& recording, const Analysis& analysis) {
  std::vector<std::string> files;
  for (const collect::Site& site : analysis.sites) files.emplace_back(recording.text(site.file));
  return files;
}

int64_t length(const Analysis& analysis, size_t gap) {
  return analysis.gaps.end[gap] - analysis.gaps.start[gap];
}

bool has_cause(const Analysis& analysis, size_t gap, Cause cause) {
  for (uint32_t slice = analysis.gaps.first_slice[gap]; slice < analysis.gaps.first_slice[gap + 1];
       ++slice) {
    if (analysis.slices.cause[slice] == cause) return true;
  }
  return false;
}

std::string right(const std::string& text, size_t width) {
  return text.size() >= width ? text : std::string(width - text.size(), ' ') + text;
}

// Names in traces may hold bytes that are no UTF-8; JSON must still come out.
std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::vector<size_t> chosen_gaps(const Recording& recording, const Analysis& analysis,
                                const GapOptions& options) {
  std::vector<size_t> gaps;
  for (size_t gap = 0; gap < analysis.gaps.size(); ++gap) {
    const auto& device = recording.devices[collect::raw(analysis.gaps.device[gap])];
    if (options.device && device.ordinal != *options.device) continue;
    if (options.cause && !has_cause(analysis, gap, *options.cause)) continue;
    gaps.push_back(gap);
  }
  if (options.longest > 0) {
    std::stable_sort(gaps.begin(), gaps.end(),
                     [&](size_t a, size_t b) { return length(analysis, a) > length(analysis, b); });
    gaps.resize(std::min(gaps.size(), options.longest));
  }
  return gaps;
}

GapWriter::GapWriter(const Recording& recording, const Analysis& analysis)
    : recording_(recording), analysis_(analysis), places_(files_of(recording, analysis)) {}

const collect::DeviceTimeline& GapWriter::timeline(size_t gap) const {
  const auto found =
      std::find_if(analysis_.timelines.begin(), analysis_.timelines.end(),
                   [&](const auto& line) { return line.device == analysis_.gaps.device[gap]; });
  return *found;  // every gap lies in the timeline of its device
}

std::string GapWriter::closing_name(size_t gap) const {
  const uint32_t closing = analysis_.gaps.closing[gap];
  if (closing >= recording_.activities.size()) return "";
  const std::string_view name = recording_.text(recording_.activities.name[closing]);
  if (!name.empty()) return printable(name);
  static constexpr const char* kKinds[] = {"kernel", "copy", "fill", "graph"};
  return kKinds[static_cast<int>(recording_.activities.kind[closing])];
}

// Cause, site and object: what makes two slices the same to a reader.
std::string GapWriter::slice_text(size_t slice) const {
  const auto& slices = analysis_.slices;
  std::string text(text_of(slices.cause[slice]).id);
  text.resize(std::max(text.size(), size_t{18}), ' ');
  text += "  ";
  if (slices.site[slice] == collect::kNone<collect::SiteId>) {
    text += "-";
  } else {
    const collect::Site& site = analysis_.sites[collect::raw(slices.site[slice])];
    const std::string_view file = recording_.text(site.file);
    const std::string line = places_.file(file) + ":" + std::to_string(site.line);
    const std::string function = printable(recording_.text(site.function));
    if (file.empty())
      text += function.empty() ? "-" : function;
    else if (recording_.lines_are_defs)
      text += function + " (" + line + ")";
    else
      text += line + (function.empty() ? "" : " " + function);
  }
  const std::string_view object = recording_.text(slices.object[slice]);
  if (!object.empty()) text += "  (" + short_kernel_name(printable(object)) + ")";
  return text;
}

std::string GapWriter::slices_text(size_t gap) const {
  const auto& gaps = analysis_.gaps;
  std::string out;
  for (uint32_t slice = gaps.first_slice[gap]; slice < gaps.first_slice[gap + 1]; ++slice) {
    const int64_t ns = analysis_.slices.end[slice] - analysis_.slices.start[slice];
    out += right(std::to_string(ns), 14) + " ns  " + slice_text(slice) + "\n";
  }
  return out;
}

std::string GapWriter::sums_text(size_t gap) const {
  const auto& gaps = analysis_.gaps;
  struct Sum {
    int64_t ns = 0;
    size_t slices = 0;
  };
  std::map<std::string, Sum> sums;
  for (uint32_t slice = gaps.first_slice[gap]; slice < gaps.first_slice[gap + 1]; ++slice) {
    Sum& sum = sums[slice_text(slice)];
    sum.ns += analysis_.slices.end[slice] - analysis_.slices.start[slice];
    ++sum.slices;
  }
  std::vector<std::pair<std::string, Sum>> sorted(sums.begin(), sums.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.ns > b.second.ns; });
  std::string out;
  for (const auto& [text, sum] : sorted) {
    out += right(std::to_string(sum.ns), 14) + " ns  " + text;
    if (sum.slices > 1) out += "  in " + std::to_string(sum.slices) + " slices";
    out += "\n";
  }
  return out;
}

std::string GapWriter::text(size_t gap, bool every_slice, bool full) const {
  const auto& gaps = analysis_.gaps;
  const auto& device = recording_.devices[collect::raw(gaps.device[gap])];
  const size_t slices = gaps.first_slice[gap + 1] - gaps.first_slice[gap];
  const std::string head =
      "gap " + std::to_string(gap) + "  device " + std::to_string(device.ordinal) + "  at " +
      std::to_string(gaps.start[gap] - timeline(gap).first) + " ns  " +
      std::to_string(length(analysis_, gap)) + " ns  before " +
      (full ? demangled(closing_name(gap)) : short_kernel_name(closing_name(gap))) + "\n";
  return head + (every_slice || slices <= kSlicesListed ? slices_text(gap) : sums_text(gap));
}

std::string GapWriter::json(size_t gap) const {
  const auto& gaps = analysis_.gaps;
  Json pieces = Json::array();
  for (uint32_t slice = gaps.first_slice[gap]; slice < gaps.first_slice[gap + 1]; ++slice) {
    const auto& slices = analysis_.slices;
    Json site = nullptr;
    if (slices.site[slice] != collect::kNone<collect::SiteId>) {
      const collect::Site& place = analysis_.sites[collect::raw(slices.site[slice])];
      site = {{"file", recording_.text(place.file)},
              {"line", place.line},
              {"function", recording_.text(place.function)}};
    }
    Json also = Json::array();
    for (unsigned cause = 0; cause < collect::kCauseCount; ++cause) {
      if (slices.also(slice) >> cause & 1) also.push_back(text_of(static_cast<Cause>(cause)).id);
    }
    const std::string_view object = recording_.text(slices.object[slice]);
    pieces.push_back({{"start_ns", slices.start[slice]},
                      {"end_ns", slices.end[slice]},
                      {"cause", text_of(slices.cause[slice]).id},
                      {"site", site},
                      {"object", object.empty() ? Json(nullptr) : Json(object)},
                      {"also", also}});
  }
  return dump({{"gap", gap},
               {"device", recording_.devices[collect::raw(gaps.device[gap])].ordinal},
               {"start_ns", gaps.start[gap]},
               {"end_ns", gaps.end[gap]},
               {"idle_ns", length(analysis_, gap)},
               {"before", closing_name(gap)},
               {"slices", pieces}}) +
         "\n";
}

}  // namespace gpustall::cli
