#include "test/unit/compare/generated_run.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace gpustall::test {
namespace {

// The library's distributions differ between implementations; this one does not.
class Noise {
 public:
  explicit Noise(uint64_t seed) : random_(seed) {}
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += double(random_() >> 11) / double(uint64_t{1} << 53);
    return sum;
  }

 private:
  std::mt19937_64 random_;
};

// A stationary series around 1, never negative.
std::vector<double> series(Noise& noise, size_t steps, double deviation, double persistence) {
  std::vector<double> values;
  double state = noise.normal();
  for (size_t s = 0; s < steps; ++s) {
    state = persistence * state + std::sqrt(1 - persistence * persistence) * noise.normal();
    values.push_back(std::max(0.0, 1 + deviation * state));
  }
  return values;
}

CauseRow drawn(const GeneratedRow& row, const GeneratedRun& run, double factor, Noise& noise) {
  CauseRow out;
  out.cause = row.cause;
  if (row.file != nullptr) out.site = ModelSite{row.file, row.function, row.line, row.text};
  if (row.every > 1) out.every_steps = row.every;
  const std::vector<double> values = series(noise, run.steps, row.noise, row.persistence);
  for (size_t s = 0; s < run.steps; ++s) {
    const double hit = s % row.every == 0 ? row.every : 0;
    out.per_step.push_back(std::llround(row.mean_us * 1000 * values[s] * hit * factor));
  }
  return out;
}

// The part of the rows that lies in steps [from, to), as a window holds it.
std::vector<CauseRow> cut(const std::vector<CauseRow>& rows, size_t from, size_t to) {
  std::vector<CauseRow> part = rows;
  for (CauseRow& row : part) {
    row.per_step = {row.per_step.begin() + static_cast<ptrdiff_t>(from),
                    row.per_step.begin() + static_cast<ptrdiff_t>(to)};
    for (const int64_t ns : row.per_step) row.ns += ns;
    row.per_step_ns = row.ns / static_cast<int64_t>(to - from);
    row.count = to - from;
  }
  std::stable_sort(part.begin(), part.end(),
                   [](const CauseRow& a, const CauseRow& b) { return a.ns > b.ns; });
  return part;
}

}  // namespace

GeneratedRun usual_run() {
  GeneratedRun run;
  const char* file = "/home/u/run/train.py";
  run.rows = {
      {Cause::DataMain, file, 28, "__getitem__", "image = decode(raw)", 5000, 0.12, 0.5},
      {Cause::LaunchDispatch, file, 64, "train", "loss.backward()", 3000, 0.08, 0.4},
      {Cause::LaunchDispatch, file, 60, "train", "loss = f(model(x), y)", 2000, 0.1, 0.3},
      {Cause::SyncItem, file, 67, "train", "running += loss.item()", 800, 0.2, 0.2},
      {Cause::HostPython, file, 70, "train", "log(step)", 400, 0.3, 0.6},
      {Cause::SyncPrint, file, 71, "train", "print(loss)", 150, 0.3, 0, 10},
      {Cause::DeviceSpacing, nullptr, 0, "", "", 300, 0.02, 0.1},
      {Cause::UnknownUntraced, nullptr, 0, "", "", 50, 0.5, 0},
      {Cause::CopyPageable, file, 58, "train", "x = x.to(device)", 600, 0.05, 0.1, 1, true},
  };
  return run;
}

Model generate(const GeneratedRun& run, uint64_t seed) {
  Noise noise(seed * 7919 + 17);
  const double factor = 1 + run.run_noise * noise.normal();
  std::vector<CauseRow> causes, busy_causes;
  const std::vector<double> compute = series(noise, run.steps, run.compute_noise, 0.3);
  std::vector<int64_t> idle(run.steps), busy(run.steps), copies(run.steps);
  for (const GeneratedRow& row : run.rows) {
    std::vector<CauseRow>& rows = row.busy ? busy_causes : causes;
    rows.push_back(drawn(row, run, factor, noise));
    for (size_t s = 0; s < run.steps; ++s) (row.busy ? copies : idle)[s] += rows.back().per_step[s];
  }
  for (size_t s = 0; s < run.steps; ++s)
    busy[s] = std::llround(run.compute_us * 1000 * compute[s]) + copies[s];
  ModelDevice device;
  device.name = "NVIDIA H100";
  device.host = "box";
  device.pids = {100};
  const auto window = [&](size_t from, size_t to) {
    Window w;
    for (size_t s = from; s < to; ++s) {
      w.idle_ns += idle[s];
      w.busy_ns += busy[s];
      w.exposed_copy_ns += copies[s];
    }
    w.span_ns = w.idle_ns + w.busy_ns;
    w.compute_ns = w.busy_ns - w.exposed_copy_ns;
    w.causes = cut(causes, from, to);
    w.busy_causes = cut(busy_causes, from, to);
    return w;
  };
  device.whole = window(0, run.steps);
  if (run.warmup > 0) device.warmup = window(0, run.warmup);
  device.steady = window(run.warmup, run.steps);
  ModelProcess process;
  process.pid = 100;
  process.host = "box";
  process.role = "trainer";
  process.script = "/home/u/run/train.py";
  process.steps = StepStats{run.steps, run.warmup, 0, 0, 0, "optimizer"};
  for (size_t s = 0; s < run.steps; ++s) {
    device.step_span_ns.push_back(idle[s] + busy[s]);
    device.step_busy_ns.push_back(busy[s]);
    process.step_ns.push_back(idle[s] + busy[s]);
  }
  Model model;
  model.name = "run-" + std::to_string(seed);
  model.processes = {process};
  model.devices = {device};
  return model;
}

}  // namespace gpustall::test
