// The headline is about the device with the most idle time, in steady state where there is one.
#include "collector/model/verdict.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "collector/model/no_work.h"

namespace gpustall::collect {
namespace {

// Of the step: a combined gain below it is nothing, however well it is known.
constexpr double kSmallestGainPct = 1;
constexpr double kMayBeMuchPct = 10;
constexpr double kMuchIdle = 0.2;
constexpr double kOpenMatters =
    0.10;  // share of the span: idle time that no repair was asked about
constexpr double kIdleWithoutSteps = 0.05;  // without gains: all that there could be to gain
constexpr double kCopiesMatter = 0.10;      // exposed copies' share of the span
constexpr double kUnknownMatters = 0.2;     // share of idle without a cause
constexpr uint64_t kStepsToJudge = 10;
constexpr double kUnsteady = 3;  // p95 over p50 of the step time

constexpr const char* kFamilyCodes[] = {"sync", "data",   "copy", "alloc", "launch",
                                        "host", "device", "cold", "tool",  "unknown"};

std::string printed(const char* format, double a, double b = 0, double c = 0) {
  char text[256];
  std::snprintf(text, sizeof text, format, a, b, c);
  return text;
}

const Window& headline_window(const ModelDevice& device) {
  return device.steady && device.steady->span_ns > 0 ? *device.steady : device.whole;
}

double share(int64_t part, int64_t whole) {
  return whole > 0 ? double(part) / double(whole) : 0;
}

std::string place(const CauseRow& row) {
  if (!row.site) return {};
  if (row.site->file.empty()) return row.site->function.empty() ? "" : " in " + row.site->function;
  const size_t slash = row.site->file.rfind('/');
  const std::string name =
      slash == std::string::npos ? row.site->file : row.site->file.substr(slash + 1);
  return " at " + name + ":" + std::to_string(row.site->line);
}

const StepStats* steps_of(const Model& model, const ModelDevice& device) {
  for (const ModelProcess& p : model.processes)
    if (p.steps && std::find(device.pids.begin(), device.pids.end(), p.pid) != device.pids.end())
      return &*p.steps;
  return nullptr;
}

std::string idle_text(const Window& w, const StepStats* steps) {
  const double idle = share(w.idle_ns, w.span_ns);
  if (steps == nullptr || steps->mean_ns == 0)
    return printed("GPU idle %.1f %% of the time", idle * 100);
  const double step_ms = double(steps->mean_ns) / 1e6;
  return printed("GPU idle %.1f %%: %.2f of %.2f ms per step", idle * 100, idle * step_ms, step_ms);
}

void set(Model& model, const char* code, std::string sentence) {
  model.verdict_code = code;
  model.verdict = std::move(sentence);
}

void judge_copies(Model& model, const Window& w, double copies) {
  std::string text = printed("GPU busy %.1f %%, but %.1f %% of the time it only copies",
                             share(w.busy_ns, w.span_ns) * 100, copies * 100);
  if (!w.busy_causes.empty()) {
    const CauseRow& row = w.busy_causes.front();
    text += ": " + row.object + place(row);
  }
  set(model, "copy", text + ".");
}

// The row that a single repair gains most by.
const CauseRow* best_repair(const Window& w) {
  const CauseRow* best = nullptr;
  for (const auto* rows : {&w.causes, &w.busy_causes})
    for (const CauseRow& row : *rows)
      if (row.gain && (best == nullptr || row.gain->pct > best->gain->pct)) best = &row;
  return best != nullptr && best->gain->pct >= kSmallestGainPct ? best : nullptr;
}

// " together with what waits at train.py:5, train.py:9": the others of its group.
std::string group_places(const Window& w, const CauseRow& row) {
  std::vector<std::string> places{place(row)};
  std::string text;
  for (const CauseRow& other : w.causes) {
    if (row.group == 0 || other.group != row.group || !other.site) continue;
    const std::string at = place(other);
    if (std::find(places.begin(), places.end(), at) != places.end()) continue;
    text += places.size() == 1 ? " together with what waits" + at : "," + at.substr(3);
    places.push_back(at);
  }
  return text;
}

std::string gain_text(const Window& w, const CauseRow* main) {
  const CauseRow* best = best_repair(w);
  if (best == nullptr) return "; no single repair is sure to gain anything";
  const std::string gain = printed("%.2f ms per step", double(best->gain->ns_per_step) / 1e6) +
                           printed(" (%.0f to %.0f %%)", best->gain->low_pct, best->gain->high_pct);
  const std::string others = group_places(w, *best);
  if (best == main) return "; fixing it" + others + " gains " + gain;
  return std::string("; the best ") + (others.empty() ? "single repair, " : "repair, ") +
         text_of(best->cause).title.data() + place(*best) + others + ", gains " + gain;
}

// Idle time that no replay was asked about: of unknown owners, or of causes that no repair of the
// program removes, such as other users of the device.
double open_share(const Window& w) {
  int64_t ns = 0;
  for (const CauseRow& row : w.causes)
    if (!row.gain && row.cause != Cause::DeviceSpacing && row.cause != Cause::DeviceLatency)
      ns += row.ns;
  return share(ns, w.span_ns);
}

// Idle time that the program could have filled.
double host_share(const Window& w) {
  int64_t ns = 0;
  for (const CauseRow& row : w.causes)
    if (family_of(row.cause) != CauseFamily::Device) ns += row.ns;
  return share(ns, w.span_ns);
}

// Decided by what the top repairs gain together against how well that is known. Without steps
// there is no gain to predict: then all idle time is what there could be to gain.
bool nothing_to_gain(const Model& model, const Window& w) {
  if (!model.combined.gain) return share(w.idle_ns, w.span_ns) < kIdleWithoutSteps;
  const Gain& gain = *model.combined.gain;
  const double noise = std::max(kSmallestGainPct, gain.high_pct - gain.pct);
  // What may be much is not nothing; and where the GPU is idle that long, a replay that finds no
  // repair rather does not know it.
  return gain.pct <= noise && gain.high_pct < kMayBeMuchPct && open_share(w) < kOpenMatters &&
         host_share(w) < kMuchIdle;
}

void judge_healthy(Model& model, const Window& w) {
  std::string text =
      printed("GPU busy %.1f %%: nothing here is worth fixing", share(w.busy_ns, w.span_ns) * 100);
  if (const auto& gain = model.combined.gain)
    text += printed(", all repairs together gain %.1f %% of a step or less", gain->high_pct);
  else
    text +=
        printed(", at most %.1f %% to gain (gains are predicted per step, and no steps were found)",
                share(w.idle_ns, w.span_ns) * 100);
  set(model, "healthy", text + ".");
}

void judge_idle(Model& model, const Window& w, const StepStats* steps) {
  std::array<int64_t, std::size(kFamilyCodes)> by_family{};
  for (const CauseRow& row : w.causes)
    by_family[static_cast<size_t>(family_of(row.cause))] += row.ns;
  const auto largest = std::max_element(by_family.begin(), by_family.end()) - by_family.begin();
  const auto family = static_cast<CauseFamily>(largest);
  const auto row = std::find_if(w.causes.begin(), w.causes.end(),
                                [&](const CauseRow& r) { return family_of(r.cause) == family; });
  std::string text = idle_text(w, steps);
  if (row != w.causes.end()) {
    text += ". Main cause: ";
    text += text_of(row->cause).title;
    text += place(*row);
  }
  if (model.combined.gain) text += gain_text(w, row == w.causes.end() ? nullptr : &*row);
  if (steps == nullptr) text += "; gains are predicted per step, and no steps were found";
  const double unknown = share(by_family[static_cast<size_t>(CauseFamily::Unknown)], w.idle_ns);
  if (family != CauseFamily::Unknown && unknown >= kUnknownMatters)
    text += printed("; %.0f %% of the idle time has no known cause", unknown * 100);
  const char* code = kFamilyCodes[largest];
  if (steps != nullptr && steps->count - steps->warmup >= kStepsToJudge &&
      double(steps->p95_ns) > kUnsteady * double(steps->p50_ns)) {
    code = "unsteady";
    text += printed("; steps vary: median %.2f ms, 95 %% below %.2f ms",
                    double(steps->p50_ns) / 1e6, double(steps->p95_ns) / 1e6);
  }
  set(model, code, text + ".");
}

}  // namespace

void set_verdict(Model& model, const Recording& recording) {
  if (model.devices.empty()) {
    set(model, "no_gpu_work", no_work_sentence(recording));
    return;
  }
  const ModelDevice* worst = &model.devices.front();
  for (const ModelDevice& d : model.devices)
    if (headline_window(d).idle_ns > headline_window(*worst).idle_ns) worst = &d;
  const Window& w = headline_window(*worst);
  const StepStats* steps = steps_of(model, *worst);
  const double idle = share(w.idle_ns, w.span_ns), copies = share(w.exposed_copy_ns, w.span_ns);
  if (copies >= kCopiesMatter && copies > idle)
    judge_copies(model, w, copies);
  else if (nothing_to_gain(model, w))
    judge_healthy(model, w);
  else
    judge_idle(model, w, steps);
}

}  // namespace gpustall::collect
