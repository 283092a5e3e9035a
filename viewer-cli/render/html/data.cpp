#include "viewer-cli/render/html/data.h"

#include <algorithm>
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

Json json_of(const BinnedRows& rows) {
  if (rows.ns.empty()) return nullptr;
  return {{"first", rows.first_bin}, {"end", rows.end_bin}, {"ns", rows.ns}};
}

Json json_of(const Lengths& lengths) {
  if (lengths.size() == 0) return nullptr;
  return {{"start", lengths.start_ns}, {"gaps", lengths.gaps}, {"idle", lengths.idle_ns}};
}

Json json_of(const DeviceData& device) {
  Json parents = Json::array(), series = Json::array(), ns = Json::array(), gaps = Json::array();
  for (const FlameBox& box : device.flame) {
    parents.push_back(box.parent);
    series.push_back(box.series);
    ns.push_back(box.ns);
  }
  for (const GapData& gap : device.gaps) gaps.push_back({gap.start_ns, gap.ns, gap.step});
  return {{"steps", json_of(device.steps)},
          {"time", json_of(device.time)},
          {"rows", json_of(device.rows)},
          {"lengths", json_of(device.lengths)},
          {"flame", {{"parent", parents}, {"series", series}, {"ns", ns}}},
          {"gaps", gaps},
          {"findings", device.findings}};
}

// False when its steps are not known one by one.
bool add_steps(const collect::CauseRow& row, size_t offset, const Bins& steps,
               std::vector<int64_t>& ns) {
  if (row.per_step.size() + offset > steps.count) return false;
  if (row.ns != 0 && row.per_step.empty()) return false;
  ns.resize(steps.size());
  for (size_t i = 0; i < row.per_step.size(); ++i)
    ns[(i + offset) / steps.per_bin] += row.per_step[i];
  return true;
}

}  // namespace

BinnedRows binned_rows(const View& view, const std::vector<Row>& rows, const Bins& steps) {
  BinnedRows out;
  if (steps.size() == 0 || view.process == nullptr) return out;
  const uint64_t warmup = view.process->steps->warmup;
  const uint64_t first = view.choice == WindowChoice::Steady ? warmup : 0;
  const uint64_t end = view.choice == WindowChoice::Warmup ? warmup : steps.count;
  out.first_bin = static_cast<size_t>((first + steps.per_bin - 1) / steps.per_bin);
  out.end_bin = end == steps.count ? steps.size() : static_cast<size_t>(end / steps.per_bin);
  for (const Row& row : rows) {
    if (row.kind == Row::Kind::Total) continue;
    std::vector<int64_t>& ns = out.ns.emplace_back();
    bool known = true;
    if (row.cause != nullptr) {
      known = add_steps(*row.cause, first, steps, ns);
    } else if (row.kind == Row::Kind::Unknown) {
      ns.resize(steps.size());
      for (const collect::CauseRow& cause : view.window->causes)
        if (family_of(cause.cause) == collect::CauseFamily::Unknown)
          known = known && add_steps(cause, first, steps, ns);
    }
    if (!known) return {};
  }
  return out;
}

std::string page_data(const Palette& palette, const std::vector<DeviceData>& devices,
                      const std::string& markdown) {
  Json j = {{"series", Json::array()}, {"devices", Json::array()}, {"markdown", markdown}};
  for (const Series& series : palette.series())
    j["series"].push_back({{"id", series.id}, {"title", series.title}});
  for (const DeviceData& device : devices) j["devices"].push_back(json_of(device));
  std::string text = j.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (size_t at = 0; (at = text.find('<', at)) != std::string::npos; at += 6)
    text.replace(at, 1, "\\u003c");
  return text;
}

}  // namespace gpustall::cli
