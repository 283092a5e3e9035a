// Numbers are chosen so that every sum can be checked by hand: steady state is 37 steps of 20 ms.
#include "models.h"

namespace gpustall::test {

using namespace collect;

namespace {

constexpr int64_t kMs = 1'000'000;

CauseRow row(Cause cause, const char* file, int line, const char* text, int64_t ns) {
  CauseRow made;
  made.cause = cause;
  if (file != nullptr) made.site = ModelSite{file, "train", line, text};
  made.ns = ns;
  made.count = 37;
  return made;
}

Window steady_window() {
  Window window;
  window.span_ns = 740 * kMs;
  window.busy_ns = 370 * kMs;
  window.idle_ns = 370 * kMs;
  window.compute_ns = 333 * kMs;
  window.exposed_copy_ns = 37 * kMs;
  CauseRow item =
      row(Cause::SyncItem, "/home/u/run/train.py", 104, "total += loss.item()", 148 * kMs);
  item.every_steps = 1;
  item.gain = Gain{15, 18, 20, 3'600'000};
  item.also = {Cause::LaunchDispatch};
  item.group = 1;
  item.stack = {"/home/u/run/train.py:130 main", "/home/u/run/train.py:104 train"};
  CauseRow print = row(Cause::SyncPrint, "/home/u/run/log/show.py", 9, "print(loss)", 50 * kMs);
  print.every_steps = 10;
  print.group = 1;
  CauseRow data =
      row(Cause::DataWorkerCpu, "/home/u/run/train.py", 88, "for x, y in loader:", 111 * kMs);
  data.object = "decode_jpeg (data.py:41)";
  CauseRow adam =
      row(Cause::LaunchDispatch, "/home/u/.venv/lib/python3.11/site-packages/torch/optim/adamw.py",
          412, "", 37 * kMs);
  const CauseRow other =
      row(Cause::LaunchDispatch, "/home/u/run/train.py", 110, "for p in params:", 10 * kMs);
  window.causes = {item,
                   data,
                   print,
                   adam,
                   other,
                   row(Cause::UnknownUntraced, nullptr, 0, "", 10 * kMs),
                   row(Cause::HostGc, "/home/u/run/train.py", 99, "", 2 * kMs),
                   row(Cause::DeviceSpacing, nullptr, 0, "", 2 * kMs)};
  CauseRow copy =
      row(Cause::CopyPageable, "/home/u/run/train.py", 91, "x = x.to(device)", 37 * kMs);
  window.busy_causes = {copy};
  return window;
}

}  // namespace

Model stalled_model() {
  Model model;
  model.basis = Basis::Simulated;
  model.verdict = "The GPU is idle 50.0 % of the time: it waits for the host at train.py:104.";
  model.verdict_code = "sync";
  ModelProcess process;
  process.pid = 4711;
  process.host = "box";
  process.script = "/home/u/run/train.py";
  process.steps = StepStats{40, 3, 20 * kMs, 19 * kMs, 24 * kMs, "optimizer"};
  process.clean_end = false;
  model.processes = {process};
  ModelDevice device;
  device.host = "box";
  device.name = "Simulated A100";
  device.simulated = true;
  device.pids = {4711};
  device.steady = steady_window();
  device.whole = steady_window();
  device.whole.span_ns = 1240 * kMs;
  device.whole.idle_ns = 870 * kMs;
  device.whole.causes.insert(device.whole.causes.begin(),
                             row(Cause::ColdModule, nullptr, 0, "", 500 * kMs));
  Window warmup;
  warmup.span_ns = 500 * kMs;
  warmup.idle_ns = 500 * kMs;
  warmup.causes = {row(Cause::ColdModule, nullptr, 0, "", 500 * kMs)};
  device.warmup = warmup;
  model.devices = {device};
  LoaderSummary loader{
      4711, 4, 4, 0, 11.2, 18.0, {{"decode_jpeg (data.py:41)", 0.71}, {"read", 0.03}}, {}};
  loader.meanwhile = {{4720,
                       {{Cause::DataWorkerCpu, "/home/u/run/data.py:41 decode_jpeg", 80 * kMs},
                        {Cause::DataWorkerRead, "/home/u/run/data.py:30 load", 20 * kMs},
                        {std::nullopt, "", 11 * kMs}}},
                      {4721, {}}};
  model.loaders = {loader};
  model.ledger.unlinked_activities = 2;
  model.ledger.clock_error_ns = 850;
  model.ledger.overhead_ns = 5 * kMs;
  model.ledger.not_observed = {"worker stacks"};
  model.combined = {{Cause::SyncItem, Cause::DataWorkerCpu}, Gain{40, 44, 48, 8'800'000}};
  model.environment = {{"torch", "2.11.0"}, {"python", "3.11.2"}};
  return model;
}

Model healthy_model() {
  Model model;
  model.verdict = "The GPU is busy 97.0 % of the time; nothing here is worth fixing.";
  model.verdict_code = "healthy";
  for (uint32_t ordinal = 0; ordinal < 2; ++ordinal) {
    ModelDevice device;
    device.ordinal = ordinal;
    device.name = "NVIDIA H100";
    device.whole.span_ns = 10'000 * kMs;
    device.whole.busy_ns = 9'700 * kMs;
    device.whole.compute_ns = 9'700 * kMs;
    device.whole.idle_ns = 300 * kMs;
    device.whole.causes = {row(Cause::DeviceSpacing, nullptr, 0, "", 300 * kMs)};
    model.devices.push_back(device);
  }
  return model;
}

Model empty_model() {
  Model model;
  model.verdict = "No GPU work was recorded.";
  model.verdict_code = "no_gpu_work";
  model.ledger.not_observed = {"device activities: CUPTI refused the subscription (39)"};
  return model;
}

}  // namespace gpustall::test
