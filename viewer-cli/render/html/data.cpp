#include "viewer-cli/render/html/data.h"

#include <nlohmann/json.hpp>

namespace gpustall::cli {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Bins& bins) {
  if (bins.size() == 0) return nullptr;
  return {{"count", bins.count},
          {"per_bin", bins.per_bin},
          {"busy", bins.busy_ns},
          {"idle", bins.idle_ns},
          {"most", bins.most_ns}};
}

Json json_of(const DeviceData& device) {
  Json parents = Json::array(), series = Json::array(), ns = Json::array(), gaps = Json::array();
  for (const FlameBox& box : device.flame) {
    parents.push_back(box.parent);
    series.push_back(box.series);
    ns.push_back(box.ns);
  }
  for (const auto& [start, length] : device.gaps) gaps.push_back({start, length});
  return {{"steps", json_of(device.steps)},
          {"time", json_of(device.time)},
          {"flame", {{"parent", parents}, {"series", series}, {"ns", ns}}},
          {"gaps", gaps}};
}

}  // namespace

std::string page_data(const Palette& palette, const std::vector<DeviceData>& devices) {
  Json j = {{"series", Json::array()}, {"devices", Json::array()}};
  for (const Series& series : palette.series())
    j["series"].push_back({{"id", series.id}, {"title", series.title}});
  for (const DeviceData& device : devices) j["devices"].push_back(json_of(device));
  std::string text = j.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (size_t at = 0; (at = text.find('<', at)) != std::string::npos; at += 6)
    text.replace(at, 1, "\\u003c");
  return text;
}

}  // namespace gpustall::cli
