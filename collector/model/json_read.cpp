// JSON -> Model: reads what to_json wrote. Unknown keys are ignored, missing ones keep their
// defaults; a value of the wrong type or another schema is refused in one sentence.
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "collector/model.h"
#include "collector/model/json_names.h"
#include "collector/model/json_take.h"
#include "collector/model/overview_json.h"

namespace gpustall::collect {
namespace {

constexpr int kSchema = 1;

std::optional<Gain> read_gain(const Json& j) {
  const auto at = j.find("gain");
  if (at == j.end() || at->is_null()) return {};
  Gain gain;
  take(*at, "low_pct", gain.low_pct);
  take(*at, "pct", gain.pct);
  take(*at, "high_pct", gain.high_pct);
  take(*at, "ns_per_step", gain.ns_per_step);
  return gain;
}

std::optional<ModelSite> read_site(const Json& j) {
  const auto at = j.find("site");
  if (at == j.end() || at->is_null()) return {};
  ModelSite site;
  take(*at, "file", site.file);
  take(*at, "line", site.line);
  take(*at, "function", site.function);
  take(*at, "text", site.text);
  std::string line_is;
  take(*at, "line_is", line_is);
  site.is_def = line_is == "def";
  return site;
}

CauseRow read_row(const Json& j, const char* time_key) {
  CauseRow row;
  row.cause = read_cause(j.at("cause"));
  row.site = read_site(j);
  take(j, "object", row.object);
  take_list(j, "also", row.also, read_cause);
  take(j, "group", row.group);
  take(j, time_key, row.ns);
  take(j, "per_step_ns", row.per_step_ns);
  take(j, "count", row.count);
  uint32_t every = 0;
  take(j, "every_steps", every);
  if (every != 0) row.every_steps = every;
  row.gain = read_gain(j);
  take(j, "stack", row.stack);
  take(j, "per_step", row.per_step);
  return row;
}

std::optional<Window> read_window(const Json& windows, const char* key) {
  const auto at = windows.find(key);
  if (at == windows.end() || at->is_null()) return {};
  Window w;
  take(*at, "span_ns", w.span_ns);
  take(*at, "busy_ns", w.busy_ns);
  take(*at, "idle_ns", w.idle_ns);
  if (const auto busy = at->find("busy"); busy != at->end() && busy->is_object()) {
    take(*busy, "compute_ns", w.compute_ns);
    take(*busy, "exposed_copy_ns", w.exposed_copy_ns);
    take(*busy, "exposed_collective_ns", w.exposed_collective_ns);
  }
  take_list(*at, "causes", w.causes, [](const Json& j) { return read_row(j, "idle_ns"); });
  take_list(*at, "busy_causes", w.busy_causes,
            [](const Json& j) { return read_row(j, "busy_ns"); });
  take_list(*at, "alternatives", w.alternatives,
            [](const Json& j) { return read_row(j, "idle_ns"); });
  return w;
}

void take_told(const Json& j, const char* key, int64_t& to) {
  if (const auto at = j.find(key); at != j.end() && !at->is_null()) take(j, key, to);
}

CardSummary read_card(const Json& j) {
  CardSummary c;
  take(j, "readings", c.readings);
  take(j, "throttled", c.throttled);
  take(j, "reasons", c.reasons);
  take_told(j, "sm_mhz", c.sm_mhz);
  take_told(j, "throttled_sm_mhz", c.throttled_sm_mhz);
  take_told(j, "memory_mhz", c.memory_mhz);
  take_told(j, "power_mw", c.power_mw);
  take_told(j, "temperature_c", c.temperature_c);
  take_told(j, "link_generation", c.link_generation);
  take_told(j, "link_width", c.link_width);
  take_told(j, "processes", c.processes);
  if (const auto limits = j.find("limits"); limits != j.end() && limits->is_object()) {
    take_told(*limits, "sm_mhz", c.limits.sm_mhz);
    take_told(*limits, "memory_mhz", c.limits.memory_mhz);
    take_told(*limits, "power_mw", c.limits.power_mw);
    take_told(*limits, "link_generation", c.limits.link_generation);
    take_told(*limits, "link_width", c.limits.link_width);
  }
  return c;
}

ModelDevice read_device(const Json& j) {
  ModelDevice d;
  take(j, "device", d.ordinal);
  take(j, "uuid", d.uuid);
  take(j, "host", d.host);
  take(j, "name", d.name);
  take(j, "simulated", d.simulated);
  take(j, "pids", d.pids);
  const Json& windows = j.at("windows");
  d.whole = read_window(windows, "whole").value_or(Window{});
  d.warmup = read_window(windows, "warmup");
  d.steady = read_window(windows, "steady");
  take(j, "step_span_ns", d.step_span_ns);
  take(j, "step_busy_ns", d.step_busy_ns);
  take_list(j, "work", d.work, [](const Json& row) {
    WorkRow w;
    take(row, "name", w.name);
    take(row, "count", w.count);
    take(row, "ns", w.ns);
    take(row, "bytes", w.bytes);
    return w;
  });
  if (const auto card = j.find("card"); card != j.end() && card->is_object())
    d.card = read_card(*card);
  if (const auto overview = j.find("overview"); overview != j.end() && !overview->is_null())
    d.overview = read_overview(*overview);
  return d;
}

ModelProcess read_process(const Json& j) {
  ModelProcess p;
  take(j, "pid", p.pid);
  take(j, "rank", p.rank);
  take(j, "host", p.host);
  take(j, "role", p.role);
  take(j, "script", p.script);
  take(j, "clean_end", p.clean_end);
  take(j, "step_ns", p.step_ns);
  if (const auto steps = j.find("steps"); steps != j.end() && !steps->is_null()) {
    p.steps.emplace();
    take(*steps, "count", p.steps->count);
    take(*steps, "warmup", p.steps->warmup);
    take(*steps, "mean_ns", p.steps->mean_ns);
    take(*steps, "p50_ns", p.steps->p50_ns);
    take(*steps, "p95_ns", p.steps->p95_ns);
    take(*steps, "basis", p.steps->basis);
  }
  if (const auto pace = j.find("pace"); pace != j.end() && !pace->is_null()) {
    p.pace.emplace();
    take(*pace, "launches", p.pace->launches);
    take(*pace, "launch_call_ns", p.pace->launch_call_ns);
    take(*pace, "between_launches_ns", p.pace->between_launches_ns);
  }
  take_list(j, "narrowed", p.narrowed, [](const Json& n) {
    Narrowing out;
    take(n, "before", out.before);
    take(n, "after", out.after);
    out.site = read_site(n);
    take(n, "by", out.by);
    return out;
  });
  return p;
}

LoaderSummary read_loader(const Json& j) {
  LoaderSummary l;
  take(j, "pid", l.pid);
  take(j, "workers", l.workers);
  take(j, "started", l.started);
  take(j, "start_ns", l.start_ns);
  take(j, "delivered_per_s", l.delivered_per_s);
  take(j, "wanted_per_s", l.wanted_per_s);
  take_list(j, "doing", l.doing, [](const Json& state) {
    std::pair<std::string, double> out;
    take(state, "what", out.first);
    take(state, "share", out.second);
    return out;
  });
  take_list(j, "meanwhile", l.meanwhile, read_worker_time);
  return l;
}

Model read_model(const Json& j) {
  Model model;
  take(j, "schema", model.schema);
  if (model.schema != kSchema)
    throw std::runtime_error("schema " + std::to_string(model.schema) +
                             ", this build reads schema " + std::to_string(kSchema));
  std::string basis = "recorded";
  take(j, "basis", basis);
  const std::optional<Basis> known = basis_named(basis);
  if (!known) throw std::runtime_error("unknown basis '" + basis + "'");
  model.basis = *known;
  take(j, "name", model.name);
  take(j, "verdict", model.verdict);
  take(j, "verdict_code", model.verdict_code);
  take_list(j, "processes", model.processes, read_process);
  take_list(j, "devices", model.devices, read_device);
  take_list(j, "loaders", model.loaders, read_loader);
  if (const auto combined = j.find("combined"); combined != j.end() && combined->is_object()) {
    take_list(*combined, "causes", model.combined.causes, read_cause);
    model.combined.gain = read_gain(*combined);
  }
  if (const auto ledger = j.find("ledger"); ledger != j.end() && ledger->is_object()) {
    take(*ledger, "lost_records", model.ledger.lost_records);
    take(*ledger, "unlinked_activities", model.ledger.unlinked_activities);
    take(*ledger, "clock_error_ns", model.ledger.clock_error_ns);
    take(*ledger, "overhead_ns", model.ledger.overhead_ns);
    take(*ledger, "losses", model.ledger.losses);
    take(*ledger, "not_observed", model.ledger.not_observed);
  }
  take(j, "environment", model.environment);
  return model;
}

}  // namespace

Result<Model> from_json(std::string_view text) {
  try {
    const Json j = Json::parse(text);
    if (!j.is_object() || !j.contains("schema"))
      return Error{"not a saved gpustall model; make one with `gpustall collect DIR -o FILE`"};
    return read_model(j);
  } catch (const std::exception& e) {
    return Error{std::string("the saved model cannot be read: ") + e.what() +
                 "; make it again with `gpustall collect DIR -o FILE`"};
  }
}

}  // namespace gpustall::collect
