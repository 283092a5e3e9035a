// What stands before the rows: torch.profiler's members, and "gpustall", which says where the file
// comes from, what it leaves out, and the exact sums of each device. Never environment variables.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "collector/model/json_names.h"
#include "viewer-cli/export/timeline.h"

namespace gpustall::cli {

namespace {

using namespace collect;  // NOLINT: all of this is about the collector's tables
using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;

Json devices_of(const TimelineInput& in, const Selection& selection) {
  Json list = Json::array();
  for (const DeviceTimeline& line : in.analysis.timelines) {
    if (!selection.devices[raw(line.device)]) continue;
    const Device& d = in.recording.devices[raw(line.device)];
    list.push_back({{"pid", in.ids.of(line.device)},
                    {"device", d.ordinal},
                    {"uuid", d.uuid},
                    {"host", d.host},
                    {"name", d.name},
                    {"simulated", d.simulated},
                    {"span_ns", line.span_ns()},
                    {"busy_ns", line.busy_ns},
                    {"idle_ns", line.idle_ns()}});
  }
  return list;
}

Json processes_of(const TimelineInput& in, const Selection& selection) {
  Json list = Json::array();
  for (uint32_t p = 0; p < in.recording.processes.size(); ++p) {
    if (!selection.processes[p]) continue;
    const Process& process = in.recording.processes[p];
    list.push_back({{"pid", in.ids.of(ProcessIndex{p})},
                    {"os_pid", process.pid},
                    {"rank", process.rank},
                    {"host", process.host},
                    {"role", static_cast<int>(process.role)},
                    {"clean_end", process.clean_end}});
  }
  return list;
}

Json steps_of(const TimelineInput& in, const Selection& selection) {
  Json list = Json::array();
  for (const Steps& steps : in.analysis.steps)
    if (selection.processes[raw(steps.process)])
      list.push_back({{"pid", in.ids.of(steps.process)},
                      {"basis", steps.basis},
                      {"count", steps.count()},
                      {"warmup", steps.warmup}});
  return list;
}

Json ledger_of(const Model& model) {
  return {{"lost_records", model.ledger.lost_records},
          {"unlinked_activities", model.ledger.unlinked_activities},
          {"clock_error_ns", model.ledger.clock_error_ns},
          {"overhead_ns", model.ledger.overhead_ns},
          {"losses", model.ledger.losses},
          {"not_observed", model.ledger.not_observed}};
}

// torch.profiler's own description of the devices.
Json device_properties(const TimelineInput& in, const Selection& selection) {
  Json list = Json::array();
  for (uint32_t d = 0; d < in.recording.devices.size(); ++d) {
    if (!selection.devices[d]) continue;
    const Device& device = in.recording.devices[d];
    list.push_back({{"id", device.ordinal},
                    {"name", device.name},
                    {"totalGlobalMem", device.memory_bytes},
                    {"computeMajor", device.capability / 10},
                    {"computeMinor", device.capability % 10},
                    {"numSms", device.multiprocessors}});
  }
  return list;
}

std::string dump(const Json& json) {
  return without_user_names(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

void Timeline::write_header(const TimelinePlan& plan, TimelineState& state) const {
  const Recording& r = in_.recording;
  EventText& out = state.out;
  out.raw("{\"schemaVersion\":1,\"displayTimeUnit\":\"ms\",\"baseTimeNanoseconds\":" +
          std::to_string(in_.clock.base()) + ",\n");
  if (state.dialect == Dialect::Viewer) {
    const Json ours = {
        {"schema", kSchema},
        {"version", version_},
        {"basis", basis_name(r.basis)},
        {"recording", std::filesystem::path(r.name).filename().string()},
        {"window", plan.window_text.empty() ? Json(nullptr) : Json(plan.window_text)},
        {"complete", plan.window_text.empty() && plan.left_out.empty()},
        {"left_out", plan.left_out},
        {"launch_latency_ns", in_.analysis.launch_latency_ns},
        {"devices", devices_of(in_, plan.summary)},
        {"processes", processes_of(in_, plan.summary)},
        {"steps", steps_of(in_, plan.summary)},
        {"ledger", ledger_of(in_.model)}};
    out.raw("\"gpustall\":" + dump(ours) + ",\n");
  }
  out.raw("\"deviceProperties\":" + dump(device_properties(in_, plan.details)) + ",\n");
  for (uint32_t p = 0; p < r.processes.size(); ++p) {
    if (!plan.details.processes[p] || r.processes[p].rank < 0) continue;
    if (state.dialect == Dialect::Torch)
      out.raw("\"distributedInfo\":{\"rank\":" + std::to_string(r.processes[p].rank) + "},\n");
    break;
  }
}

}  // namespace gpustall::cli
