// Advice on the DataLoader fits the machine: never more workers than cores.
#include "collector/model/advice.h"

#include "test/catch.h"

using namespace gpustall::collect;
using gpustall::test::contains;

namespace {

constexpr int64_t kMs = 1'000'000;

// 20 ms a step, of which data_ms wait for the loader; 100 steps.
Model loading(const char* cores, int64_t data_ms, Cause cause = Cause::DataMain) {
  Model model;
  model.environment["cpu.allowed"] = cores;
  ModelDevice device;
  device.pids = {7};
  device.steady.emplace();
  CauseRow row;
  row.cause = cause;
  row.per_step_ns = data_ms * kMs;
  device.steady->causes = {row};
  model.devices = {device};
  ModelProcess process;
  process.pid = 7;
  process.steps = StepStats{100, 0, 20 * kMs, 20 * kMs, 20 * kMs, "optimizer"};
  model.processes = {process};
  return model;
}

Model with_workers(const char* cores, uint32_t workers, uint32_t started, Cause cause) {
  Model model = loading(cores, 10, cause);
  model.loaders = {LoaderSummary{7, workers, started, 50 * kMs, 50, 100, {}, {}}};
  return model;
}

std::string advice(const Model& model) {
  return advice_for(model, model.devices[0], model.devices[0].steady->causes[0].cause);
}

}  // namespace

TEST_CASE("as many workers as keep up with the GPU, and one core for the training process") {
  CHECK_THAT(advice(loading("8", 15)), contains("num_workers=3 (of 8 cores), pin_memory=True"));
  CHECK_THAT(advice(loading("8", 5)), contains("num_workers=1 (of 8 cores)"));
  CHECK_THAT(advice(loading("2", 15)), contains("num_workers=1 (of 2 cores)"));
  CHECK_THAT(advice(loading("2", 15)), contains("takes about 3 workers: make it cheaper, too"));
  CHECK_THAT(advice(loading("1", 15)),
             contains("may use 1 core, which a DataLoader worker would take"));
}

TEST_CASE("a quota counts as cores, and what was not recorded gives no number") {
  Model model = loading("64", 15);
  model.environment["cpu.quota"] = "200000 100000";
  CHECK(usable_cores(model) == 2u);
  CHECK_THAT(advice(model), contains("num_workers=1 (of 2 cores)"));
  model.environment["cpu.quota"] = "-1 100000";
  CHECK(usable_cores(model) == 64u);
  model.environment.clear();
  CHECK_FALSE(usable_cores(model));
  CHECK(advice(model) == text_of(Cause::DataMain).remedy);
}

TEST_CASE("more workers only where there are cores for them") {
  CHECK_THAT(advice(with_workers("8", 2, 2, Cause::DataWorkerCpu)),
             contains("num_workers=4 instead of 2 (of 8 cores)"));
  CHECK_THAT(advice(with_workers("4", 3, 3, Cause::DataWorkerCpu)),
             contains("No more workers: 3 and the training process share 4 cores."));
  CHECK_THAT(advice(with_workers("2", 4, 4, Cause::DataWorkerStarved)),
             contains("4 workers and the training process share 2 cores: num_workers=1."));
}

TEST_CASE("workers that are started anew for each epoch are told with the epoch and their cost") {
  const std::string often = advice(with_workers("8", 2, 20, Cause::DataWorkerStart));
  CHECK_THAT(often, contains("20 workers were started, each in 50 ms, anew for each epoch of about "
                             "10 steps: persistent_workers=True, or longer epochs"));
  CHECK_THAT(advice(with_workers("8", 2, 2, Cause::DataWorkerStart)), contains(", once: smaller"));
}
