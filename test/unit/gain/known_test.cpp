// Gains where they are known: the cases of the lead rule, and one small program for each kind of
// repair.
#include "collector/gain/edit.h"
#include "test/catch.h"
#include "test/sim/known_programs.h"
#include "test/unit/gain/verified.h"

using namespace gpustall::test;
using namespace gpustall::test::sim;
using gpustall::collect::Cause;
using gpustall::collect::Edit;
using gpustall::collect::Gain;
using gpustall::collect::kNone;
using gpustall::collect::SiteId;

namespace {

Program repeat(const Step& step, int n = 30) {
  return {std::vector<Step>(static_cast<size_t>(n), step), {}};
}

// Taken out together: the truth and the prediction.
Verified verify(const Program& program, const std::set<char>& sites, const Machine& machine = {}) {
  const VerifiedProgram verified(program, machine);
  REQUIRE(verified.has_steps());
  REQUIRE(verified.predictor().usable());
  CHECK(verified.calibration_pct() < 0.01);
  std::set<Removable> together;
  for (const Removable& r : removables(program))
    if (sites.count(r.site) != 0) together.insert(r);
  REQUIRE(together.size() == sites.size());
  return verified.verify(together);
}

void check_gain(const Program& program, char site, double from, double to,
                const Machine& machine = {}) {
  const Verified v = verify(program, {site}, machine);
  CAPTURE(v.cause, v.truth, v.gain.pct, v.gain.low_pct, v.gain.high_pct);
  CHECK(v.truth >= from);
  CHECK(v.truth <= to);
  CHECK(std::abs(v.gain.pct - v.truth) <= 1.0);
}

}  // namespace

TEST_CASE("the replayed gain of every known program is within 2 points of the truth") {
  for (const KnownProgram& known : known_programs()) {
    const Verified v = verify(known.program, known.removed);
    INFO(known.name);
    CAPTURE(v.truth, v.gain.pct);
    CHECK(std::abs(v.gain.pct - v.truth) <= 2.0);
    CHECK(std::abs(v.truth - known.gain_pct) <= 2.0);  // steady steps only
  }
}

TEST_CASE("reads that only help together have a gain together") {
  const Program two = two_reads_in_a_row();
  CHECK(verify(two, {'a'}).gain.pct < 2);
  CHECK(verify(two, {'a', 'b'}).gain.pct > 13);
}

TEST_CASE("launches that cost the host nothing keep their work on the device") {
  // Launch-bound: 15 us of the host for each kernel of 5; then the device's own time is left.
  // Launched in time, a kernel starts the device's spacing behind the one before it.
  check_gain(repeat(net(12, 5, 100, 'f')), 'f', 55, 65, {.spacing = 0.8});
  check_gain(repeat(net(3, 50, 100, 'f') + net(3, 50, 10, 'b')), 'f', 0, 0.5);  // GPU-bound
}

TEST_CASE("loading moves to workers that need their time, too") {
  check_gain(repeat(Step{load_on_main(3000, 'l')} + net(5, 20, 100, 'f')), 'l', 40, 50);
  // 40 ms a batch in four workers: 10 ms, though the step needs only 2 for the rest.
  check_gain(repeat(Step{load_on_main(40000, 'l')} + net(5, 20, 100, 'f')), 'l', 70, 80);
}

TEST_CASE("a loader bounds what faster training gains, and faster workers what they free") {
  Program program = repeat(Step{next_batch(), python(9000, 'y')} + net(5, 20, 100, 'f'), 60);
  program.loader = {.workers = 2, .read_us = 4000, .decode_us = 12000};
  program.loader.decode_site = kDecodeSite;
  program.loader.read_site = kReadSite;
  // Steps of 9.8 ms and batches of 8: without the Python code the loader is the limit.
  check_gain(program, 'y', 15, 25);
  check_gain(program, kDecodeSite, 0, 0.5);
  for (Step& step : program.steps) step.erase(step.begin() + 1);
  check_gain(program, kDecodeSite, 65, 80);
}

TEST_CASE("a pinned copy neither blocks nor is staged, a copy ahead is hidden") {
  check_gain(repeat(Step{{Op::Upload, 1000, 'u'}} + net(5, 30, 100, 'f')), 'u', 15, 30);
  check_gain(repeat(Step{{Op::PinnedCopy, 1000, 'p'}} + net(5, 30, 100, 'f')), 'p', 20, 30);
}

TEST_CASE("emptying the cache takes its frees and the allocations after it along") {
  check_gain(repeat(net(5, 30, 50, 'f') + Step{{Op::EmptyCache, 400, 'c'}} + net(5, 30, 50, 'b')),
             'c', 10, 30);
}

TEST_CASE("without CUDA_LAUNCH_BLOCKING launches only cost their call") {
  RecordingBuilder b;
  b.process(100).info.emplace("env.CUDA_LAUNCH_BLOCKING", "1");
  const ThreadIndex main = b.thread("main");
  const QueueIndex gpu = b.queue(0, 7);
  TraceTime now = 0;
  for (int step = 0; step < 20; ++step)
    for (int i = 0; i < 10; ++i) {
      const TraceTime start = now + 7'000;
      b.launch(main, {now, start + 53'000}, gpu, "gemm", {start, start + 50'000},
               i == 0 ? "train.py:10 step" : "train.py:11 step");
      now = start + 53'000 + 10'000;
    }
  const Recording recording = b.build();
  const Analysis analysis = analyze(recording);
  REQUIRE_FALSE(analysis.steps.empty());
  const GainPredictor predictor(recording, analysis, analysis.steps[0]);
  const std::optional<Gain> gain = predictor.predict({{Cause::LaunchBlocking, kNone<SiteId>}});
  REQUIRE(gain);
  CHECK(std::abs(gain->pct - 100.0 * 20 / 70) < 3);  // 50 of 70 us a kernel are left
}

TEST_CASE("a loop of pointwise kernels is fused; a CUDA graph keeps their work") {
  RecordingBuilder b;
  const ThreadIndex main = b.thread("main");
  const QueueIndex gpu = b.queue(0, 7);
  TraceTime now = 0;
  // 100 us for the device, then 50 launches of 8 us each for kernels of 2 us.
  const TraceTime step_ns = 100'000 + 50 * 8'000;
  for (int step = 0; step < 20; ++step) {
    b.launch(main, {now, now + 3'000}, gpu, "gemm", {now + 7'000, now + 107'000},
             "train.py:10 step");
    now += 100'000;
    for (int i = 0; i < 50; ++i, now += 8'000)
      b.launch(main, {now + 5'000, now + 8'000}, gpu, "vectorized_elementwise_kernel<4, mul>",
               {now + 12'000, now + 14'000}, "train.py:11 step");
  }
  const Recording recording = b.build();
  const Analysis analysis = analyze(recording);
  REQUIRE_FALSE(analysis.steps.empty());
  const GainPredictor predictor(recording, analysis, analysis.steps[0]);
  SiteId loop{};
  for (uint32_t i = 0; i < analysis.sites.size(); ++i)
    if (analysis.sites[i].line == 11) loop = SiteId(i);
  const GainTargets targets{{Cause::LaunchDispatch, loop}};
  const std::optional<Gain> gain = predictor.predict(targets);
  REQUIRE(gain);
  // The host is done long before the device, which has the gemm and one small kernel left; with a
  // graph all 50 of 2 us.
  const double step = double(step_ns);
  CHECK(std::abs(gain->pct - 100 * (1 - 102'800 / step)) < 0.5);
  CHECK(gain->low_pct < 100 * (1 - 200'000 / step));
  CHECK(std::abs(predictor.fused_pct(targets) - 100 * 100'000 / step) < 1);
  CHECK(predictor.fused_pct({{Cause::SyncItem, loop}}) == 0);
}

TEST_CASE("what no change of the program takes away has no gain") {
  const std::vector<gpustall::collect::Site> sites(1);
  for (Cause cause : {Cause::DeviceSpacing, Cause::DeviceLatency, Cause::DeviceQueue,
                      Cause::ColdModule, Cause::ToolOverhead, Cause::UnknownUntraced}) {
    Edit edit(sites);
    CHECK_FALSE(edit.add(cause, SiteId(0)));
    CHECK(edit.empty());
    CHECK_FALSE(edit.repairs(cause, SiteId(0)));
  }
}
