// The headline is about the device with the most idle time, in steady state where there is one.
#include "collector/model/verdict.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "collector/base_name.h"
#include "collector/model/line_costs.h"

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

bool has_steady(const ModelDevice& device) {
  return device.steady && device.steady->span_ns > 0;
}

// Null without such a window.
const Window* window_of(const ModelDevice& device, WindowKind kind) {
  if (kind == WindowKind::Usual && has_steady(device)) return &*device.steady;
  if (kind != WindowKind::Warmup) return &device.whole;
  return device.warmup && device.warmup->span_ns > 0 ? &*device.warmup : nullptr;
}

double share(int64_t part, int64_t whole) {
  return whole > 0 ? double(part) / double(whole) : 0;
}

std::string place(const CauseRow& row) {
  if (!row.site) return {};
  if (row.site->file.empty()) return row.site->function.empty() ? "" : " in " + row.site->function;
  const std::string line = base_name(row.site->file) + ":" + std::to_string(row.site->line);
  return row.site->is_def ? " in " + row.site->function + " (" + line + ")" : " at " + line;
}

const StepStats* steps_of(const Model& model, const ModelDevice& device) {
  for (const ModelProcess& p : model.processes)
    if (p.steps && std::find(device.pids.begin(), device.pids.end(), p.pid) != device.pids.end())
      return &*p.steps;
  return nullptr;
}

// One window of one device.
struct Judged {
  const Model& model;
  const Window& window;
  const StepStats* steps;  // of the usual window; null: another one, or no steps
  const char* prefix;      // names the window where it is not the usual one; else empty
  bool is_usual() const { return *prefix == '\0'; }
  const std::optional<Gain>& gain() const {
    static const std::optional<Gain> none;
    return is_usual() ? model.combined.gain : none;
  }
};

// "7.76 ms per step", "505 ms"
std::string time_text(const Judged& j, int64_t ns) {
  if (j.steps == nullptr || j.steps->mean_ns == 0)
    return ns < 10'000'000'000 ? printed("%.4g ms", double(ns) / 1e6)
                               : printed("%.1f s", double(ns) / 1e9);
  return printed("%.2f ms per step", share(ns, j.window.span_ns) * double(j.steps->mean_ns) / 1e6);
}

std::string idle_text(const Judged& j) {
  const double idle = share(j.window.idle_ns, j.window.span_ns);
  if (j.steps == nullptr || j.steps->mean_ns == 0)
    return j.prefix + printed("GPU idle %.1f %% of the time", idle * 100);
  const double step_ms = double(j.steps->mean_ns) / 1e6;
  return printed("GPU idle %.1f %%: %.2f of %.2f ms per step", idle * 100, idle * step_ms, step_ms);
}

Verdict judge_copies(const Judged& j, double copies) {
  std::string text =
      j.prefix + printed("GPU busy %.1f %%, but %.1f %% of the time it only copies",
                         share(j.window.busy_ns, j.window.span_ns) * 100, copies * 100);
  if (!j.window.busy_causes.empty()) {
    const CauseRow& row = j.window.busy_causes.front();
    text += ": " + row.object + place(row);
  }
  return {"copy", text + ".", nullptr, nullptr};
}

// The row that a single repair gains most by. The main cause where it gains as much within what a
// replay knows: one more repair to weigh would only confuse.
const CauseRow* best_repair(const Window& w, const CauseRow* main) {
  const CauseRow* best = nullptr;
  for (const auto* rows : {&w.causes, &w.busy_causes})
    for (const CauseRow& row : *rows)
      if (row.gain && (best == nullptr || row.gain->pct > best->gain->pct)) best = &row;
  if (best == nullptr || best->gain->pct < kSmallestGainPct) return nullptr;
  const bool as_good =
      main != nullptr && main->gain && main->gain->pct + kSmallestGainPct > best->gain->pct;
  return as_good ? main : best;
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

std::string gain_text(const Window& w, const CauseRow* main, const CauseRow* best) {
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
bool nothing_to_gain(const Judged& j) {
  const Window& w = j.window;
  if (!j.gain()) return share(w.idle_ns, w.span_ns) < kIdleWithoutSteps;
  const Gain& gain = *j.gain();
  const double noise = std::max(kSmallestGainPct, gain.high_pct - gain.pct);
  // What may be much is not nothing; and where the GPU is idle that long, a replay that finds no
  // repair rather does not know it.
  return gain.pct <= noise && gain.high_pct < kMayBeMuchPct && open_share(w) < kOpenMatters &&
         host_share(w) < kMuchIdle;
}

Verdict judge_healthy(const Judged& j) {
  const Window& w = j.window;
  std::string text = j.prefix + printed("GPU busy %.1f %%: nothing here is worth fixing",
                                        share(w.busy_ns, w.span_ns) * 100);
  if (const auto& gain = j.gain())
    text += printed(", all repairs together gain %.1f %% of a step or less", gain->high_pct);
  else if (j.is_usual())
    text +=
        printed(", at most %.1f %% to gain (gains are predicted per step, and no steps were found)",
                share(w.idle_ns, w.span_ns) * 100);
  return {"healthy", text + ".", nullptr, nullptr};
}

// Where the idle time is. A line is one place to repair: all that happens there counts for its
// largest cause.
struct MainCause {
  CauseFamily family{};
  const CauseRow* row = nullptr;
  LineCost line;  // of the row; empty without a line
};

MainCause main_cause(const Window& w) {
  std::map<const CauseRow*, LineCost> led;  // by the largest row of the line
  std::map<const CauseRow*, const CauseRow*> leader;
  for (LineCost& line : line_costs(w.causes)) {
    for (const CauseRow* row : line.rows) leader[row] = line.rows.front();
    const CauseRow* first = line.rows.front();
    led[first] = std::move(line);
  }
  std::array<int64_t, std::size(kFamilyCodes)> by_family{};
  for (const CauseRow& row : w.causes) {
    const auto at = leader.find(&row);
    const CauseRow& first = at == leader.end() ? row : *at->second;
    by_family[static_cast<size_t>(family_of(first.cause))] += row.ns;
  }
  const auto largest = std::max_element(by_family.begin(), by_family.end()) - by_family.begin();
  MainCause main{static_cast<CauseFamily>(largest), nullptr, {}};
  int64_t most = -1;
  for (const CauseRow& row : w.causes) {
    const auto at = led.find(&row);
    const int64_t ns = at == led.end() ? row.ns : at->second.ns;
    if (family_of(row.cause) != main.family || ns <= most) continue;
    most = ns;
    main.row = &row;
    main.line = at == led.end() ? LineCost{} : at->second;
  }
  return main;
}

std::string main_text(const Judged& j, const MainCause& main) {
  if (main.row == nullptr) return {};
  std::string text =
      std::string(". Main cause: ") + text_of(main.row->cause).title.data() + place(*main.row);
  if (!j.is_usual()) text += ", " + time_text(j, main.row->ns);
  const std::vector<CauseCost> causes = main_causes(main.line);
  if (causes.size() < 2) return text;
  text += std::string("; that ") + (main.row->site->is_def ? "function" : "line") + " costs " +
          time_text(j, main.line.ns) + " in all";
  for (size_t i = 1; i < causes.size(); ++i)
    text += (i == 1 ? " (with " : ", ") + std::string(text_of(causes[i].cause).id);
  return text + ")";
}

int64_t unknown_ns(const Window& w) {
  int64_t ns = 0;
  for (const CauseRow& row : w.causes)
    if (family_of(row.cause) == CauseFamily::Unknown) ns += row.ns;
  return ns;
}

Verdict judge_idle(const Judged& j) {
  const Window& w = j.window;
  const MainCause main = main_cause(w);
  std::string text = idle_text(j) + main_text(j, main);
  const CauseRow* repair = j.gain() ? best_repair(w, main.row) : nullptr;
  if (j.gain()) text += gain_text(w, main.row, repair);
  if (j.steps == nullptr && j.is_usual())
    text += "; gains are predicted per step, and no steps were found";
  const double unknown = share(unknown_ns(w), w.idle_ns);
  if (main.family != CauseFamily::Unknown && unknown >= kUnknownMatters)
    text += printed("; %.0f %% of the idle time has no known cause", unknown * 100);
  const char* code = kFamilyCodes[static_cast<size_t>(main.family)];
  if (j.steps != nullptr && j.steps->count - j.steps->warmup >= kStepsToJudge &&
      double(j.steps->p95_ns) > kUnsteady * double(j.steps->p50_ns)) {
    code = "unsteady";
    text += printed("; steps vary: median %.2f ms, 95 %% below %.2f ms",
                    double(j.steps->p50_ns) / 1e6, double(j.steps->p95_ns) / 1e6);
  }
  return {code, text + ".", nullptr, repair};
}

}  // namespace

Verdict verdict_of(const Model& model, WindowKind kind, std::optional<uint32_t> ordinal) {
  const ModelDevice* worst = nullptr;
  for (const ModelDevice& d : model.devices) {
    if (ordinal && d.ordinal != *ordinal) continue;
    const Window* w = window_of(d, kind);
    if (w != nullptr && (worst == nullptr || w->idle_ns > window_of(*worst, kind)->idle_ns))
      worst = &d;
  }
  if (model.devices.empty()) return {"no_gpu_work", "No GPU work was recorded.", nullptr, nullptr};
  if (worst == nullptr)
    return {"no_gpu_work", "No such window in this recording: it has no steps.", nullptr, nullptr};
  const bool usual = kind == WindowKind::Usual || !has_steady(*worst);
  const char* prefix = usual                        ? ""
                       : kind == WindowKind::Warmup ? "In the warm-up: "
                                                    : "Whole recording, warm-up included: ";
  const Window& w = *window_of(*worst, kind);
  const Judged judged{model, w, usual ? steps_of(model, *worst) : nullptr, prefix};
  const double idle = share(w.idle_ns, w.span_ns), copies = share(w.exposed_copy_ns, w.span_ns);
  Verdict verdict = copies >= kCopiesMatter && copies > idle ? judge_copies(judged, copies)
                    : nothing_to_gain(judged)                ? judge_healthy(judged)
                                                             : judge_idle(judged);
  verdict.device = worst;
  return verdict;
}

void set_verdict(Model& model, const Recording& recording) {
  Verdict verdict = verdict_of(model, WindowKind::Usual);
  if (model.devices.empty()) verdict.sentence = no_work_sentence(recording);
  model.verdict_code = std::move(verdict.code);
  model.verdict = std::move(verdict.sentence);
}

}  // namespace gpustall::collect
