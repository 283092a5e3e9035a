// Exact integers throughout: this output is compared with logs, digit by digit.
#include "viewer-cli/render/gaps.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "viewer-cli/render/table.h"
#include "viewer-cli/render/units.h"

namespace gpustall::cli {

namespace {

using collect::Analysis;
using collect::Cause;
using collect::Recording;
using Json = nlohmann::ordered_json;

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

std::string GapWriter::site_text(size_t slice) const {
  const collect::SiteId id = analysis_.slices.site[slice];
  if (id == collect::kNone<collect::SiteId>) return "-";
  const collect::Site& site = analysis_.sites[collect::raw(id)];
  std::string text = places_.file(recording_.text(site.file)) + ":" + std::to_string(site.line);
  const std::string_view function = recording_.text(site.function);
  if (!function.empty()) text += " " + printable(function);
  return text;
}

std::string GapWriter::text(size_t gap) const {
  const auto& gaps = analysis_.gaps;
  const auto& device = recording_.devices[collect::raw(gaps.device[gap])];
  std::string out = "gap " + std::to_string(gap) + "  device " + std::to_string(device.ordinal) +
                    "  at " + std::to_string(gaps.start[gap] - timeline(gap).first) + " ns  " +
                    std::to_string(length(analysis_, gap)) + " ns  before " + closing_name(gap) +
                    "\n";
  for (uint32_t slice = gaps.first_slice[gap]; slice < gaps.first_slice[gap + 1]; ++slice) {
    const auto& slices = analysis_.slices;
    std::string cause(text_of(slices.cause[slice]).id);
    cause.resize(std::max(cause.size(), size_t{18}), ' ');
    out += right(std::to_string(slices.end[slice] - slices.start[slice]), 14) + " ns  " + cause +
           "  " + site_text(slice);
    const std::string_view object = recording_.text(slices.object[slice]);
    if (!object.empty()) out += "  (" + printable(object) + ")";
    out += "\n";
  }
  return out;
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
      if (slices.also[slice] >> cause & 1) also.push_back(text_of(static_cast<Cause>(cause)).id);
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
