// Whether there is something to gain is decided by the replayed gain, not by how idle the device
// is.
#include "collector/model.h"
#include "test/catch.h"
#include "test/sim/host_sim.h"

using namespace gpustall::test;
using namespace gpustall::test::sim;

namespace {

Model model_of(const Recording& recording) {
  return build_model(recording, analyze(recording));
}
Model model_of(const Step& step) {
  return model_of(run({std::vector<Step>(30, step), {}}).recording);
}

double idle_pct(const Model& m) {
  const Window& w = *m.devices[0].steady;
  return 100 * double(w.idle_ns) / double(w.span_ns);
}

}  // namespace

TEST_CASE("a busy device with reads in every step has nothing to gain") {
  const Model m = model_of(net(3, 100, 60, 'f') + Step{read('a')} + net(3, 100, 60, 'b'));
  CHECK(m.verdict_code == "healthy");
  REQUIRE(m.combined.gain);
  CHECK(m.combined.gain->pct < 1);
  CHECK_THAT(m.verdict, contains("all repairs together gain"));
}

TEST_CASE("a device that is hardly idle is not healthy where a repair gains what it is") {
  const Model m = model_of(times(10, net(3, 100, 6, 'f') + Step{read('a')}));
  CHECK(idle_pct(m) < 5);
  CHECK(m.verdict_code == "sync");
  CHECK_THAT(m.verdict, contains("fixing it gains"));
}

TEST_CASE(
    "a device between whose queued kernels much time passes has nothing to gain on the host") {
  RecordingBuilder b;
  const ThreadIndex main = b.thread("main");
  const QueueIndex gpu = b.queue(0, 7);
  for (int i = 0; i < 600; ++i)
    b.launch(main, {i * 5'000, i * 5'000 + 3'000}, gpu, "gemm",
             {20'000 + i * 15'000, 30'000 + i * 15'000},
             i % 20 == 0 ? "train.py:10 step" : "train.py:11 step");
  const Model m = model_of(b.build());
  CHECK(idle_pct(m) > 30);
  CHECK(m.verdict_code == "healthy");
}

TEST_CASE("the verdict of a launch-bound loop with a read names the launches and their gain") {
  const Model m = model_of(net(12, 5, 100, 'f') + Step{read('a')});
  CHECK(m.verdict_code == "launch");
  CHECK_THAT(m.verdict, contains("fixing it gains"));
  REQUIRE(m.combined.gain);
  CHECK(m.combined.gain->pct > 50);
}

TEST_CASE("launches that a read is charged with have a row and a gain of their own") {
  // The read drains 3 ms of work that would have hidden the 1.2 ms of launches after it.
  const Model m = model_of(net(3, 1000, 10, 'f') + Step{read('a')} + net(60, 2, 20, 'l'));
  const Window& w = *m.devices[0].steady;
  REQUIRE_FALSE(w.causes.empty());
  CHECK(w.causes.front().cause == Cause::SyncItem);
  REQUIRE_FALSE(w.alternatives.empty());
  const CauseRow& instead = w.alternatives.front();
  CHECK(instead.cause == Cause::LaunchDispatch);
  CHECK(instead.also == std::vector{Cause::SyncItem});
  CHECK(instead.ns <= w.causes.front().ns);
  REQUIRE(instead.gain);
  REQUIRE(w.causes.front().gain);
  CHECK(instead.gain->pct > 10);
  CHECK(w.causes.front().gain->pct > 10);
}

TEST_CASE("without steps the verdict says that gains need them") {
  RecordingBuilder b;
  const ThreadIndex main = b.thread("main");
  const QueueIndex gpu = b.queue(0, 7);
  b.launch(main, {0, 3'000}, gpu, "first", {7'000, 50'000}, "train.py:10 main");
  b.launch(main, {90'000, 93'000}, gpu, "second", {97'000, 120'000}, "train.py:20 main");
  const Model m = model_of(b.build());
  CHECK(m.verdict_code != "healthy");
  CHECK_THAT(m.verdict, contains("no steps were found"));
}
