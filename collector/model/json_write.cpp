// Model -> JSON. The keys are the contract of SCHEMA.md: more may come, none may go or change.
#include <nlohmann/json.hpp>

#include "collector/model.h"
#include "collector/model/advice.h"
#include "collector/model/json_list.h"
#include "collector/model/json_names.h"
#include "collector/model/overview_json.h"

namespace gpustall::collect {
namespace {

using Json = nlohmann::ordered_json;

Json ids_of(const std::vector<Cause>& causes) {
  return list_of(causes, [](Cause c) { return std::string(text_of(c).id); });
}

Json json_of(const std::optional<Gain>& gain) {
  if (!gain) return nullptr;
  return {{"low_pct", gain->low_pct},
          {"pct", gain->pct},
          {"high_pct", gain->high_pct},
          {"ns_per_step", gain->ns_per_step}};
}

Json json_of(const std::optional<ModelSite>& site) {
  if (!site) return nullptr;
  Json j = {{"file", site->file}, {"line", site->line}, {"function", site->function}};
  if (!site->text.empty()) j["text"] = site->text;
  if (site->is_def) j["line_is"] = "def";
  return j;
}

// Whose rows are written, for what depends on the machine.
struct Of {
  const Model& model;
  const ModelDevice& device;
};

Json json_of(const CauseRow& row, const char* time_key, const Of& of) {
  Json j = {{"cause", text_of(row.cause).id}, {"title", text_of(row.cause).title}};
  j["site"] = json_of(row.site);
  j["object"] = row.object.empty() ? Json(nullptr) : Json(row.object);
  j["also"] = ids_of(row.also);
  j["group"] = row.group == 0 ? Json(nullptr) : Json(row.group);
  j[time_key] = row.ns;
  j["per_step_ns"] = row.per_step_ns;
  j["count"] = row.count;
  j["every_steps"] = row.every_steps ? Json(*row.every_steps) : Json(nullptr);
  j["gain"] = json_of(row.gain);
  j["advice"] = advice_for(of.model, of.device, row.cause);
  j["stack"] = row.stack;
  j["per_step"] = row.per_step;
  return j;
}

Json json_of(const std::optional<Window>& window, const Of& of) {
  if (!window) return nullptr;
  Json j = {{"span_ns", window->span_ns},
            {"busy_ns", window->busy_ns},
            {"idle_ns", window->idle_ns},
            {"busy",
             {{"compute_ns", window->compute_ns},
              {"exposed_copy_ns", window->exposed_copy_ns},
              {"exposed_collective_ns", window->exposed_collective_ns}}}};
  j["causes"] =
      list_of(window->causes, [&](const CauseRow& r) { return json_of(r, "idle_ns", of); });
  j["busy_causes"] =
      list_of(window->busy_causes, [&](const CauseRow& r) { return json_of(r, "busy_ns", of); });
  j["alternatives"] =
      list_of(window->alternatives, [&](const CauseRow& r) { return json_of(r, "idle_ns", of); });
  return j;
}

Json told(int64_t value) {
  return value == kUntold ? Json(nullptr) : Json(value);
}

Json json_of(const CardSummary& c) {
  return {{"readings", c.readings},
          {"throttled", c.throttled},
          {"reasons", c.reasons},
          {"sm_mhz", told(c.sm_mhz)},
          {"throttled_sm_mhz", told(c.throttled_sm_mhz)},
          {"memory_mhz", told(c.memory_mhz)},
          {"power_mw", told(c.power_mw)},
          {"temperature_c", told(c.temperature_c)},
          {"link_generation", told(c.link_generation)},
          {"link_width", told(c.link_width)},
          {"processes", told(c.processes)},
          {"limits",
           {{"sm_mhz", told(c.limits.sm_mhz)},
            {"memory_mhz", told(c.limits.memory_mhz)},
            {"power_mw", told(c.limits.power_mw)},
            {"link_generation", told(c.limits.link_generation)},
            {"link_width", told(c.limits.link_width)}}}};
}

Json json_of(const ModelDevice& d, const Model& model) {
  const Of of{model, d};
  Json j = {{"device", d.ordinal}, {"uuid", d.uuid}, {"host", d.host}, {"name", d.name}};
  j["simulated"] = d.simulated;
  j["pids"] = d.pids;
  j["span_ns"] = d.whole.span_ns;
  j["busy_ns"] = d.whole.busy_ns;
  j["idle_ns"] = d.whole.idle_ns;
  j["windows"] = {{"whole", json_of(std::optional(d.whole), of)},
                  {"warmup", json_of(d.warmup, of)},
                  {"steady", json_of(d.steady, of)}};
  j["step_span_ns"] = d.step_span_ns;
  j["step_busy_ns"] = d.step_busy_ns;
  j["work"] = list_of(d.work, [](const WorkRow& w) {
    return Json{{"name", w.name}, {"count", w.count}, {"ns", w.ns}, {"bytes", w.bytes}};
  });
  j["card"] = d.card ? json_of(*d.card) : Json(nullptr);
  j["overview"] = d.overview ? overview_json(*d.overview) : Json(nullptr);
  return j;
}

Json json_of(const ModelProcess& p) {
  Json j = {{"pid", p.pid}, {"rank", p.rank}, {"host", p.host}, {"role", p.role}};
  j["script"] = p.script;
  j["clean_end"] = p.clean_end;
  j["steps"] = nullptr;
  if (p.steps)
    j["steps"] = {{"count", p.steps->count},     {"warmup", p.steps->warmup},
                  {"mean_ns", p.steps->mean_ns}, {"p50_ns", p.steps->p50_ns},
                  {"p95_ns", p.steps->p95_ns},   {"basis", p.steps->basis}};
  j["step_ns"] = p.step_ns;
  j["pace"] = nullptr;
  if (p.pace)
    j["pace"] = {{"launches", p.pace->launches},
                 {"launch_call_ns", p.pace->launch_call_ns},
                 {"between_launches_ns", p.pace->between_launches_ns}};
  j["narrowed"] = list_of(p.narrowed, [](const Narrowing& n) {
    return Json{{"before", n.before}, {"after", n.after}, {"site", json_of(n.site)}, {"by", n.by}};
  });
  return j;
}

Json json_of(const LoaderSummary& l) {
  Json j = {{"pid", l.pid},
            {"workers", l.workers},
            {"started", l.started},
            {"start_ns", l.start_ns},
            {"delivered_per_s", l.delivered_per_s},
            {"wanted_per_s", l.wanted_per_s}};
  j["doing"] = list_of(l.doing, [](const auto& state) {
    return Json{{"what", state.first}, {"share", state.second}};
  });
  j["meanwhile"] = list_of(l.meanwhile, worker_time_json);
  return j;
}

}  // namespace

std::string to_json(const Model& model) {
  Json j = {{"schema", model.schema}, {"basis", basis_name(model.basis)}, {"name", model.name}};
  j["verdict"] = model.verdict;
  j["verdict_code"] = model.verdict_code;
  j["processes"] = list_of(model.processes, [](const ModelProcess& p) { return json_of(p); });
  j["devices"] = list_of(model.devices, [&](const ModelDevice& d) { return json_of(d, model); });
  j["loaders"] = list_of(model.loaders, [](const LoaderSummary& l) { return json_of(l); });
  j["combined"] = {{"causes", ids_of(model.combined.causes)},
                   {"gain", json_of(model.combined.gain)}};
  j["ledger"] = {{"lost_records", model.ledger.lost_records},
                 {"unlinked_activities", model.ledger.unlinked_activities},
                 {"clock_error_ns", model.ledger.clock_error_ns},
                 {"overhead_ns", model.ledger.overhead_ns},
                 {"losses", model.ledger.losses},
                 {"not_observed", model.ledger.not_observed}};
  j["environment"] = model.environment;
  // Names of files and kernels may be any bytes; JSON must be UTF-8 all the same.
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gpustall::collect
