// Slower machine or other program: what is said about it, and that nothing is said without ground.
#include "collector/compare/comparison.h"
#include "collector/compare/limits.h"
#include "test/catch.h"
#include "test/unit/compare/generated_run.h"

using namespace gpustall::test;

namespace {

// A run with what the device ran: 412 kernels per step and an upload.
Model working(const GeneratedRun& run, uint64_t seed) {
  Model model = generate(run, seed);
  const uint64_t steps = run.steps - run.warmup;
  model.devices[0].work = {
      {"gemm", 100 * steps, int64_t(100 * steps) * 40'000, 0},
      {"conv", 12 * steps, int64_t(12 * steps) * 200'000, 0},
      {"add", 300 * steps, int64_t(300 * steps) * 3'000, 0},
      {"copy host to device, pinned", steps, int64_t(steps) * 1'000'000, steps * 12'000'000}};
  model.processes[0].pace = HostPace{412 * steps, 4'000, 6'000};
  model.environment = {{"gpustall", "1"}, {"torch", "2.9.1"}, {"cpu.allowed", "16"}};
  return model;
}

GeneratedRun slower_host() {
  GeneratedRun run = usual_run();
  for (GeneratedRow& row : run.rows)
    if (family_of(row.cause) == CauseFamily::Launch || family_of(row.cause) == CauseFamily::Host)
      row.mean_us *= 1.4;
  return run;
}

Comparison compared(const Model& base, const Model& next) {
  return compare(std::span(&base, 1), std::span(&next, 1));
}

std::string codes(const Comparison& c) {
  std::string text;
  for (const Reason& reason : c.reasons) text += (text.empty() ? "" : " ") + reason.code;
  return text;
}

}  // namespace

TEST_CASE("two runs of one program on one machine have no reason to differ") {
  CHECK(codes(compared(working(usual_run(), 1), working(usual_run(), 2))).empty());
}

TEST_CASE("same card, different speed: a slower core slows launches and what lies between alike") {
  Model next = working(slower_host(), 2);
  next.processes[0].pace = HostPace{412 * 200, 5'500, 8'400};
  const Comparison c = compared(working(usual_run(), 1), next);
  CHECK(c.outcome == Outcome::Slower);
  CHECK(codes(c) == "cpu_slower");
  CHECK_THAT(c.reasons[0].sentence, contains("1.38 and 1.40 times"));
  CHECK_THAT(c.reasons[0].sentence, contains("launch.dispatch +"));
}

TEST_CASE("a slower host is not told from launches that grew alone, nor from other work") {
  Model next = working(slower_host(), 2);
  next.processes[0].pace = HostPace{412 * 200, 4'000, 12'000};  // Python does more between launches
  CHECK(codes(compared(working(usual_run(), 1), next)).empty());
  next.processes[0].pace = HostPace{412 * 200, 5'500, 8'400};
  next.devices[0].work[2].count *= 2;
  CHECK(codes(compared(working(usual_run(), 1), next)) == "other_work");
}

TEST_CASE("the same kernels take longer: the clock, if it is the same GPU") {
  GeneratedRun run = usual_run();
  run.compute_us *= 1.3;
  Model next = working(run, 2);
  for (size_t i = 0; i < 3; ++i) next.devices[0].work[i].ns = next.devices[0].work[i].ns * 13 / 10;
  Comparison c = compared(working(usual_run(), 1), next);
  CHECK(codes(c) == "gpu_slower");
  CHECK_THAT(c.reasons[0].sentence, contains("same 412 kernels per step take 1.30 times"));
  CHECK_THAT(c.verdict, contains("the GPU's own work"));
  CHECK(c.comparable);
  next.devices[0].name = "NVIDIA L4";
  c = compared(working(usual_run(), 1), next);
  CHECK(codes(c) == "other_gpu gpu_slower");
  CHECK_FALSE(c.comparable);
  CHECK(c.environment[0].key == "gpu");
  CHECK(judge_gate(c, 0.03).judgement == Judgement::Inconclusive);
}

TEST_CASE("one kernel that takes longer is no clock") {
  Model next = working(usual_run(), 2);
  next.devices[0].work[2].ns *= 3;
  CHECK(codes(compared(working(usual_run(), 1), next)).empty());
}

TEST_CASE("large copies at another rate: the link") {
  Model next = working(usual_run(), 2);
  next.devices[0].work[3].ns *= 4;
  const Comparison c = compared(working(usual_run(), 1), next);
  CHECK(codes(c) == "link_slower");
  CHECK_THAT(c.reasons[0].sentence, contains("12.00 -> 3.00 GB/s"));
  for (WorkRow& row : next.devices[0].work) row.bytes /= 1000;
  CHECK(codes(compared(working(usual_run(), 1), next)).empty());
}

TEST_CASE("fewer cores explain time without a core, only where both are seen") {
  GeneratedRun starved = usual_run();
  starved.rows.push_back({Cause::HostStarved, "/home/u/run/train.py", 60, "train", "", 2000});
  Model next = working(starved, 2);
  CHECK(codes(compared(working(usual_run(), 1), next)).empty());
  next.environment["cpu.allowed"] = "2";
  const Comparison c = compared(working(usual_run(), 1), next);
  CHECK(codes(c) == "fewer_cores");
  CHECK_THAT(c.reasons[0].sentence, contains("cpu.allowed 16 -> 2"));
}

TEST_CASE("other workers, pinned memory and another batch size are named, with what they change") {
  const auto loading = [](uint32_t workers, uint32_t started, double data_us) {
    GeneratedRun run = usual_run();
    run.rows[0].mean_us = data_us;
    if (workers > 0) run.rows[0].cause = Cause::DataWorkerCpu;
    Model model = working(run, workers + 1);
    if (workers > 0)
      model.loaders = {LoaderSummary{100, workers, started, 40'000'000, 40, 50, {}, {}}};
    return model;
  };
  const Model none = loading(0, 0, 5000), two = loading(2, 2, 1000), four = loading(4, 4, 500);
  Comparison c = compared(none, two);
  CHECK(codes(c) == "loader_workers");
  CHECK_THAT(c.reasons[0].sentence, contains("num_workers: 0 -> 2, loading leaves the training "
                                             "process. Waits for data: -"));
  CHECK_THAT(compared(two, four).reasons[0].sentence, contains("num_workers: 2 -> 4."));
  CHECK_THAT(compared(two, none).reasons[0].sentence, contains("2 -> 0, the training process"));
  c = compared(loading(2, 24, 1000), two);
  CHECK(codes(c) == "worker_starts");
  CHECK_THAT(c.reasons[0].sentence, contains("started 12 -> 1 times (persistent_workers"));

  Model pageable = none;
  pageable.devices[0].work[3].name = "copy host to device, pageable";
  c = compared(pageable, none);
  CHECK(codes(c) == "pin_memory");
  CHECK_THAT(c.reasons[0].sentence, contains("0 -> 100 % of the bytes"));
  Model doubled = none;
  doubled.devices[0].work[3].bytes *= 2;
  doubled.devices[0].work[3].ns *= 2;
  c = compared(none, doubled);
  CHECK(codes(c) == "batch_size");
  CHECK_THAT(c.reasons[0].sentence, contains("uploads 12 -> 24 MB, 2.00 times"));
}

TEST_CASE("an importer sees no workers, so none are compared") {
  Model base = working(usual_run(), 1), next = working(usual_run(), 2);
  base.basis = next.basis = Basis::Kineto;
  next.loaders = {LoaderSummary{100, 2, 2, 0, 40, 50, {}, {}}};
  CHECK(codes(compared(base, next)).empty());
}

TEST_CASE("what a run was recorded on is unknown where the run did not say it") {
  Model base = working(usual_run(), 1), next = working(usual_run(), 2);
  base.devices[0].simulated = true;
  next.devices[0].name.clear();  // killed before the device was described
  const std::string text = to_json(compared(base, next));
  CHECK_THAT(text,
             contains("BASE is recorded on the simulated device, NEW is recorded on an unknown "
                      "device"));
  CHECK(text.find("recorded on a GPU") == std::string::npos);
  CHECK(text.find("Different GPUs") == std::string::npos);
  next.devices[0].simulated = true;  // the file's header says it
  CHECK(to_json(compared(base, next)).find("unknown device") == std::string::npos);
}

TEST_CASE("the environment lists what differs; what was not recorded explains nothing") {
  Model base = working(usual_run(), 1), next = working(usual_run(), 2);
  base.environment["env.SLURM_JOB_ID"] = "1";
  next.environment["env.SLURM_JOB_ID"] = "2";
  next.environment["env.CUDA_LAUNCH_BLOCKING"] = "1";
  next.environment["cuda_driver"] = "580";
  const Comparison c = compared(base, next);
  REQUIRE(c.environment.size() == 2);
  CHECK(c.environment[0].key == "env.CUDA_LAUNCH_BLOCKING");
  CHECK(c.environment[0].may_explain);
  CHECK(c.environment[1].title == "driver");
  CHECK_FALSE(c.environment[1].may_explain);
  next.environment.erase("gpustall");  // an import: settings were not recorded at all
  CHECK_FALSE(compared(base, next).environment[0].may_explain);
}
