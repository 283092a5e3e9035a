// Comparison -> JSON. The keys are the contract of SCHEMA.md: more may come, none may go or change.
#include <nlohmann/json.hpp>

#include "collector/compare/comparison.h"
#include "collector/compare/limits.h"
#include "collector/model/json_list.h"
#include "collector/model/json_names.h"

namespace gpustall::collect {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json json_of(const Change& change) {
  Json j = {{"base_ns", change.base_ns},
            {"new_ns", change.next_ns},
            {"base", change.base},
            {"new", change.next},
            {"change", change.change()}};
  j["margin"] = change.margin ? Json(*change.margin) : Json(nullptr);
  j["distinguishable"] = change.distinguishable;
  return j;
}

Json json_of(const std::optional<ModelSite>& site) {
  if (!site) return nullptr;
  Json j = {{"file", site->file}, {"line", site->line}, {"function", site->function}};
  if (!site->text.empty()) j["text"] = site->text;
  if (site->is_def) j["line_is"] = "def";
  return j;
}

Json json_of(const ChangeRow& row) {
  constexpr const char* kKinds[] = {"cause", "compute", "others"};
  const bool cause = row.kind == ChangeRow::Kind::Cause;
  Json j = {{"kind", kKinds[static_cast<size_t>(row.kind)]}};
  j["cause"] = cause ? Json(text_of(row.cause).id) : Json(nullptr);
  j["title"] = cause ? Json(text_of(row.cause).title) : Json(nullptr);
  j["base_site"] = json_of(row.base_site);
  j["new_site"] = json_of(row.next_site);
  j["in_base"] = row.in_base;
  j["in_new"] = row.in_next;
  j["object"] = text_or_null(row.object);
  j["merged"] = row.merged;
  j.update(json_of(row.change));
  if (!row.parts.empty())
    j["parts"] = list_of(row.parts, [](const LinePart& part) {
      return Json{{"cause", text_of(part.cause).id}, {"base", part.base}, {"new", part.next}};
    });
  return j;
}

Json json_of(const DeviceComparison& d) {
  const auto rows = [](const std::vector<ChangeRow>& list) {
    return list_of(list, [](const ChangeRow& row) { return json_of(row); });
  };
  Json j = {{"device", d.ordinal}, {"base_name", d.base_name}, {"new_name", d.next_name}};
  j["unit"] = d.unit == Unit::Step ? "step" : "second";
  j["base_units"] = d.base_units;
  j["new_units"] = d.next_units;
  j["span"] = json_of(d.span);
  j["busy"] = json_of(d.busy);
  j["idle"] = json_of(d.idle);
  j["load_ns"] = d.load_ns;
  j["idle_rows"] = rows(d.idle_rows);
  j["busy_rows"] = rows(d.busy_rows);
  j["cause_rows"] = rows(d.cause_rows);
  j["line_rows"] = rows(d.line_rows);
  j["base_steps_ns"] = d.base_steps_ns;
  j["new_steps_ns"] = d.next_steps_ns;
  return j;
}

Json json_of(const ComparedRun& run) {
  Json j = {{"name", run.name}, {"basis", basis_name(run.basis)}, {"simulated", run.simulated}};
  j["script"] = run.script;
  j["host"] = run.host;
  j["gpu"] = run.gpu;
  j["steps"] = run.steps;
  j["left_out"] = run.left_out;
  j["step_basis"] = text_or_null(run.step_basis);
  return j;
}

}  // namespace

std::string to_json(const Comparison& c, const GateResult* gate) {
  const auto run = [](const ComparedRun& r) { return json_of(r); };
  Json j = {{"diff_schema", c.schema}, {"outcome", outcome_name(c.outcome)}};
  j["verdict"] = c.verdict;
  j["comparable"] = c.comparable;
  j["gate"] = nullptr;
  if (gate != nullptr)
    j["gate"] = {{"result", judgement_name(gate->judgement)}, {"sentence", gate->sentence}};
  j["base"] = list_of(c.base, run);
  j["new"] = list_of(c.next, run);
  j["devices"] = list_of(c.devices, [](const DeviceComparison& d) { return json_of(d); });
  j["reasons"] = list_of(c.reasons, [](const Reason& r) {
    return Json{{"code", r.code}, {"sentence", r.sentence}};
  });
  j["environment"] = list_of(c.environment, [](const EnvironmentDifference& d) {
    return Json{{"key", d.key},
                {"title", d.title},
                {"base", text_or_null(d.base)},
                {"new", text_or_null(d.next)},
                {"may_explain", d.may_explain}};
  });
  j["cautions"] = c.cautions;
  // Names of files and kernels may be any bytes; JSON must be UTF-8 all the same.
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gpustall::collect
