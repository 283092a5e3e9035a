// What is rendered: the small, self-contained result that report, json, html, diff read. Saved by
// `gpustall collect`. Field names follow the JSON contract of collector/SCHEMA.md; all times are
// integer nanoseconds.
#pragma once
#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collector/analysis.h"
#include "collector/overview.h"
#include "collector/result.h"

namespace gpustall::collect {

struct Gain {  // percent of the step, and ns per step, when this cause is removed
  double low_pct = 0, pct = 0, high_pct = 0;
  int64_t ns_per_step = 0;
};

struct ModelSite {
  std::string file, function;
  int32_t line = 0;
  std::string text;     // the source line, when it could be read where the report was made
  bool is_def = false;  // `line` is that of the function's def: the trace does not say which ran
};

struct CauseRow {
  Cause cause{};
  std::optional<ModelSite> site;
  std::string object;
  std::vector<Cause> also;
  uint32_t group = 0;
  int64_t ns = 0;           // idle_ns, or busy_ns in busy_causes
  int64_t per_step_ns = 0;  // 0 without steps
  uint64_t count = 0;       // gaps (or activities) that this row has a part in
  std::optional<uint32_t> every_steps;
  std::optional<Gain> gain;
  std::vector<std::string> stack;  // "file:line function", outermost first, of the largest slice
  std::vector<int64_t> per_step;  // ns in each step of the window; empty without steps (diff, html)
};

struct Window {
  int64_t span_ns = 0, busy_ns = 0, idle_ns = 0;
  int64_t compute_ns = 0, exposed_copy_ns = 0, exposed_collective_ns = 0;
  std::vector<CauseRow> causes, busy_causes;  // largest first; sum of causes.ns == idle_ns
  // Idle time of `causes` that another repair would remove as well, by that repair's cause and
  // place: no part of the sum. Largest first.
  std::vector<CauseRow> alternatives;
};

// Device work of one name: tells the same work at another speed from other work (diff).
struct WorkRow {
  std::string name;  // of the kernel; "copy host to device, pinned"
  uint64_t count = 0;
  int64_t ns = 0;      // durations; what overlaps counts each
  uint64_t bytes = 0;  // of copies
};

// How fast the card was allowed to be, by about one reading a second; kUntold where NVML is silent.
struct CardSummary {
  CardLimits limits;
  uint64_t readings = 0, throttled = 0;  // throttled: the clock was held down
  std::vector<std::string> reasons;      // of that, in words
  int64_t sm_mhz = kUntold, memory_mhz = kUntold, power_mw = kUntold;  // medians
  int64_t throttled_sm_mhz = kUntold;                                  // median of those readings
  int64_t temperature_c = kUntold, link_generation = kUntold, link_width = kUntold;  // most
  int64_t processes = kUntold;                                                       // most at once
};

struct ModelDevice {
  uint32_t ordinal = 0;
  std::string uuid, host, name;
  bool simulated = false;
  std::vector<uint32_t> pids;
  Window whole;
  std::optional<Window> warmup, steady;
  std::vector<int64_t> step_span_ns, step_busy_ns;  // per step (diff, html)
  std::optional<Overview> overview;                 // null: saved by an older gpustall
  // Of the steady steps, or of everything without steps; largest first, at most 100 and "others".
  std::vector<WorkRow> work;
  std::optional<CardSummary> card;  // null: NVML was not asked, or knows nothing
};

struct StepStats {
  uint64_t count = 0, warmup = 0;
  int64_t mean_ns = 0, p50_ns = 0, p95_ns = 0;  // steady steps
  std::string basis;
};

// How fast the host launches, in the steady steps: medians, so that waits do not count.
struct HostPace {
  uint64_t launches = 0;
  int64_t launch_call_ns = 0;       // inside the launch call
  int64_t between_launches_ns = 0;  // to the next one on that thread, no other call between
};

// From then on a process (or what its thread started) had fewer CPUs.
struct Narrowing {
  int before = 0, after = 0;      // CPUs; 0: not known
  std::optional<ModelSite> site;  // of the call
  std::string by;                 // the calling library, where only that is known
};

struct ModelProcess {
  uint32_t pid = 0;
  int32_t rank = -1;
  std::string host, role, script;
  std::optional<StepStats> steps;
  bool clean_end = true;
  std::vector<int64_t> step_ns;  // every step, warm-up first
  std::optional<HostPace> pace;  // null: no launches
  std::vector<Narrowing> narrowed;
};

struct WorkerState {
  std::optional<Cause> cause;  // null: further states
  std::string frame;           // "file:line function"; empty: none
  int64_t ns = 0;
};
struct WorkerTime {
  uint32_t pid = 0;
  std::vector<WorkerState> doing;  // largest first; empty: not observed
};

// "4 workers deliver 11.2 batches/s, the GPU could take 18.0", and what they do meanwhile.
struct LoaderSummary {
  uint32_t pid = 0, workers = 0;  // the most at once
  uint32_t started = 0;           // in all: each epoch may start its own
  int64_t start_ns = 0;           // median from the fork to the first fetch; 0: not seen
  double delivered_per_s = 0, wanted_per_s = 0;
  std::vector<std::pair<std::string, double>>
      doing;                          // "decode (data.py:41 decode)": share of worker time
  std::vector<WorkerTime> meanwhile;  // while a device waited for data
};

struct Ledger {
  uint64_t lost_records = 0, unlinked_activities = 0;
  int64_t clock_error_ns = 0, overhead_ns = 0;
  std::vector<std::string> losses;  // one sentence each
  std::vector<std::string> not_observed;
};

struct Combined {  // the top causes fixed together: gains do not add up
  std::vector<Cause> causes;
  std::optional<Gain> gain;
};

struct Model {
  int schema = 1;
  Basis basis = Basis::Recorded;
  std::string name, verdict, verdict_code;
  std::vector<ModelProcess> processes;
  std::vector<ModelDevice> devices;
  std::vector<LoaderSummary> loaders;
  Combined combined;
  Ledger ledger;
  std::map<std::string, std::string> environment;  // the card: torch, python, cores, affinity, ...
};

Model build_model(const Recording& recording, const Analysis& analysis);

// JSON both ways; the contract is SCHEMA.md. from_json reads what to_json wrote (saved models).
std::string to_json(const Model& model);
Result<Model> from_json(std::string_view text);

}  // namespace gpustall::collect
