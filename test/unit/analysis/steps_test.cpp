// Steps without annotations, warm-up, periods.
#include "collector/model.h"
#include "test/builder/recording_builder.h"
#include "test/catch.h"
#include "test/unit/analysis/invariants.h"

using namespace gpustall;
using namespace gpustall::test;

namespace {

constexpr std::string_view kAdam =
    "train.py:30 main; /x/site-packages/torch/optim/optimizer.py:400 wrapper; "
    "/x/site-packages/torch/optim/adam.py:200 step";

// A loop of launches 100 us apart: forward on line 10, then the optimizer if wanted.
class Loop {
 public:
  Loop() : main_(b_.thread("main")), gpu_(b_.queue(0, 7)) {}

  void launch(std::string_view stack, std::string_view kernel = "gemm", TraceTime host_us = 100) {
    now_ += host_us * 1000;
    b_.launch(main_, {now_ - 3000, now_}, gpu_, kernel, {now_ + 2000, now_ + 22'000}, stack);
  }
  void step(std::string_view optimizer = kAdam) {
    for (int i = 0; i < 3; ++i) launch("train.py:10 main");
    for (int i = 0; i < 2 && !optimizer.empty(); ++i) launch(optimizer);
  }
  void sleep(TraceTime us) {
    b_.wait(main_, "nanosleep", {now_ + 1000, now_ + us * 1000}, {.stack = "train.py:40 main"});
    now_ += us * 1000;
  }
  void range(std::string_view name, TraceTime us) {
    b_.range(main_, name, {now_, now_ + us * 1000}, RangeKind::UserAnnotation);
  }
  Recording recording() const { return b_.build(); }

 private:
  RecordingBuilder b_;
  ThreadIndex main_;
  QueueIndex gpu_;
  TraceTime now_ = 0;
};

const CauseRow* row_of(const Window& w, Cause cause) {
  for (const CauseRow& row : w.causes)
    if (row.cause == cause) return &row;
  return nullptr;
}

}  // namespace

TEST_CASE(
    "iterations are counted by the optimizer's launches, and the slow first ones are warm-up") {
  Loop loop;
  for (int i = 0; i < 20; ++i) {
    if (i < 3) loop.sleep(5000);
    loop.step();
  }
  const Recording r = loop.recording();
  const Analysis a = checked_analysis(r);
  REQUIRE(a.steps.size() == 1);
  CHECK(a.steps[0].basis == "optimizer");
  CHECK(a.steps[0].count() == 20);
  CHECK(a.steps[0].warmup == 3);
  const Model m = build_model(r, a);
  REQUIRE(m.processes[0].steps);
  CHECK(m.processes[0].steps->mean_ns == 500'000);
  CHECK(m.processes[0].steps->p95_ns == 500'000);
  REQUIRE(m.devices[0].steady);
  CHECK(row_of(*m.devices[0].steady, Cause::HostSleep) == nullptr);
  CHECK(row_of(*m.devices[0].warmup, Cause::HostSleep) != nullptr);
  CHECK(m.devices[0].step_span_ns.size() == 20);
  CHECK(m.devices[0].step_busy_ns[10] == 100'000);
}

TEST_CASE("two optimizers in one iteration are one step") {
  Loop loop;
  const std::string other =
      "train.py:50 main; /x/site-packages/torch/optim/optimizer.py:400 wrapper; "
      "/x/site-packages/torch/optim/sgd.py:80 step";
  for (int i = 0; i < 10; ++i) {
    loop.step();
    loop.step(other);
  }
  const Analysis a = checked_analysis(loop.recording());
  REQUIRE(a.steps.size() == 1);
  CHECK(a.steps[0].count() == 10);
}

TEST_CASE("a loop without optimizer is found by its repeated launches") {
  Loop loop;
  for (int i = 0; i < 12; ++i) {
    for (int k = 0; k < 7; ++k) loop.launch("serve.py:20 forward; serve.py:90 block");
    loop.launch("serve.py:21 forward");
    loop.launch("serve.py:22 forward");
  }
  const Analysis a = checked_analysis(loop.recording());
  REQUIRE(a.steps.size() == 1);
  CHECK(a.steps[0].basis == "repeated lines");
  CHECK(a.steps[0].count() == 12);
}

TEST_CASE("a loop whose launches all come from one line is found by what parts them") {
  Loop loop;
  SECTION("a wait with a stack of its own") {
    for (int i = 0; i < 12; ++i) {
      for (int k = 0; k < 5 + i % 3; ++k) loop.launch("serve.py:20 forward");
      loop.sleep(3000);
    }
    CHECK(checked_analysis(loop.recording()).steps.at(0).basis == "repeated lines");
  }
  SECTION("pauses, of which nothing is recorded") {
    for (int i = 0; i < 12; ++i)
      for (int k = 0; k < 6; ++k) loop.launch("serve.py:20 forward", "gemm", k == 0 ? 9000 : 50);
    CHECK(checked_analysis(loop.recording()).steps.at(0).basis == "pauses between launches");
  }
  SECTION("the period of the kernels") {
    for (int i = 0; i < 12; ++i)
      for (const char* kernel : {"gemm", "relu", "gemm", "relu", "gemm", "softmax"})
        loop.launch("serve.py:20 forward", kernel);
    CHECK(checked_analysis(loop.recording()).steps.at(0).basis == "repeated kernels");
  }
  // Twelve, or eleven between twelve that lie inside of the iterations.
  const Analysis a = checked_analysis(loop.recording());
  CHECK(a.steps.at(0).count() == (a.steps[0].basis == "repeated kernels" ? 11 : 12));
}

TEST_CASE("iterations that come in bursts are steps") {
  Loop loop;
  for (int i = 0; i < 24; ++i) {
    loop.launch("train.py:20 main", "gemm", i % 2 == 0 ? 90'000 : 100);
    for (int k = 0; k < 4; ++k) loop.launch("train.py:21 main");
  }
  const Analysis a = checked_analysis(loop.recording());
  REQUIRE(a.steps.size() == 1);
  CHECK(a.steps[0].count() >= 23);
}

TEST_CASE("kernels without any stack have steps, too") {
  Loop loop;
  for (int i = 0; i < 12; ++i)
    for (const char* kernel : {"flux", "flux", "advect", "flux", "reduce"}) loop.launch("", kernel);
  const Analysis a = checked_analysis(loop.recording());
  REQUIRE(a.steps.size() == 1);
  CHECK(a.steps[0].basis == "repeated kernels");
  CHECK(a.steps[0].count() == 11);
}

TEST_CASE("loops inside of a line, and a long start-up, do not hide the iterations") {
  Loop loop;
  for (int i = 0; i < 500; ++i) loop.launch("serve.py:5 fill");
  for (int i = 0; i < 12; ++i) {
    for (int layer = 0; layer < 6; ++layer)
      for (const char* at : {"linear", "relu"})
        loop.launch(std::string("serve.py:20 run; /x/site-packages/torch/nn/modules/") + at +
                    ".py:100 forward");
    loop.launch("serve.py:21 run");
  }
  const Analysis a = checked_analysis(loop.recording());
  REQUIRE(a.steps.size() == 1);
  CHECK(a.steps[0].basis == "repeated lines");
  CHECK(a.steps[0].count() == 12);
}

TEST_CASE("where nothing parts the launches, each is a step") {
  Loop loop;
  for (int i = 0; i < 12; ++i) loop.launch("serve.py:20 run", "gemm", 100);
  const Analysis a = checked_analysis(loop.recording());
  REQUIRE(a.steps.size() == 1);
  CHECK(a.steps[0].basis == "single launches");
  CHECK(a.steps[0].count() == 11);
}

TEST_CASE("what the profiler was told about steps is believed") {
  Loop loop;
  for (int i = 0; i < 6; ++i) {
    loop.range("ProfilerStep#" + std::to_string(i), 500);
    loop.step();
  }
  const Analysis a = checked_analysis(loop.recording());
  REQUIRE(a.steps.size() == 1);
  CHECK(a.steps[0].basis == "ProfilerStep");
  CHECK(a.steps[0].count() == 6);
}

TEST_CASE("launches without a regular period are no steps") {
  Loop loop;
  TraceTime pause = 100;
  for (int i = 0; i < 12; ++i) {
    loop.launch("x.py:" + std::to_string(i % 4) + " main", "gemm", pause);
    pause = pause * 7 % 100'003;
  }
  const Recording r = loop.recording();
  const Analysis a = checked_analysis(r);
  CHECK(a.steps.empty());
  CHECK_FALSE(build_model(r, a).devices[0].steady);
}

TEST_CASE("a cause in every fourth step is said to be so") {
  Loop loop;
  for (int i = 0; i < 40; ++i) {
    loop.step();
    if (i % 4 == 3) loop.sleep(2000);
  }
  const Recording r = loop.recording();
  const Model m = build_model(r, checked_analysis(r));
  REQUIRE(m.devices[0].steady);
  const CauseRow* sleep = row_of(*m.devices[0].steady, Cause::HostSleep);
  REQUIRE(sleep != nullptr);
  CHECK(sleep->every_steps == std::optional<uint32_t>(4));
  const CauseRow* dispatch = row_of(*m.devices[0].steady, Cause::LaunchDispatch);
  REQUIRE(dispatch != nullptr);
  CHECK(dispatch->every_steps == std::optional<uint32_t>(1));
}

TEST_CASE("the verdict names the largest family, its line, and nothing on a busy device") {
  Loop loop;
  for (int i = 0; i < 20; ++i) {
    loop.step();
    loop.sleep(3000);
  }
  const Recording r = loop.recording();
  const Model m = build_model(r, checked_analysis(r));
  CHECK(m.verdict_code == "host");
  CHECK_THAT(m.verdict, contains("sleeping at train.py:40"));

  RecordingBuilder busy;
  for (int i = 0; i < 50; ++i)
    busy.launch(busy.thread("main"), {i * 10'000, i * 10'000 + 3000}, busy.queue(0, 7), "gemm",
                {5000 + i * 100'000, 104'900 + i * 100'000}, "train.py:10 main");
  const Recording healthy = busy.build();
  CHECK(build_model(healthy, checked_analysis(healthy)).verdict_code == "healthy");
  CHECK(build_model(Recording{}, checked_analysis(Recording{})).verdict_code == "no_gpu_work");
}

TEST_CASE("a device that only copies is not healthy, however busy") {
  RecordingBuilder b;
  const ThreadIndex main = b.thread("main");
  const QueueIndex gpu = b.queue(0, 7);
  for (int i = 0; i < 20; ++i) {
    const TraceTime at = i * 1'000'000;
    b.call(main, "cudaMemcpyAsync", {at, at + 900'000},
           {.correlation = uint64_t(i) + 1, .stack = "train.py:9 main"});
    b.memcpy(gpu, {at + 10'000, at + 890'000}, uint64_t(i) + 1, {10'000'000, kHostToDevice});
    b.launch(main, {at + 910'000, at + 913'000}, gpu, "gemm", {at + 915'000, at + 1'005'000},
             "train.py:10 main");
  }
  const Recording r = b.build();
  const Model m = build_model(r, checked_analysis(r));
  CHECK(m.verdict_code == "copy");
  CHECK_THAT(m.verdict, contains("train.py:9"));
  REQUIRE_FALSE(m.devices[0].whole.busy_causes.empty());
  CHECK(m.devices[0].whole.busy_causes[0].cause == Cause::CopyPageable);
  CHECK_THAT(m.devices[0].whole.busy_causes[0].object, contains("10.0 MB each, 11.4 GB/s"));
}
