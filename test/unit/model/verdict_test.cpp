// The sentence at the top, on models made by hand: lines with several causes, and other windows.
#include "collector/model/verdict.h"

#include "collector/model/line_costs.h"
#include "test/catch.h"

using namespace gpustall::collect;
using gpustall::test::contains;

namespace {

constexpr int64_t kMs = 1'000'000;

CauseRow row(Cause cause, int line, int64_t ns) {
  CauseRow made;
  made.cause = cause;
  if (line > 0) made.site = ModelSite{"/home/u/train.py", "train", line, ""};
  made.ns = ns;
  return made;
}

Window window(std::vector<CauseRow> causes, int64_t busy_ns) {
  Window w;
  w.causes = std::move(causes);
  for (const CauseRow& r : w.causes) w.idle_ns += r.ns;
  w.busy_ns = w.compute_ns = busy_ns;
  w.span_ns = w.idle_ns + w.busy_ns;
  return w;
}

// Ten steps of 40 ms, 24 of them idle: 12 at line 28 by three causes, 8 at line 67, 4 elsewhere.
Model spread() {
  Model model;
  ModelDevice device;
  device.pids = {7};
  device.steady =
      window({row(Cause::SyncItem, 67, 80 * kMs), row(Cause::DataMain, 28, 50 * kMs),
              row(Cause::HostStarved, 28, 40 * kMs), row(Cause::HostPageFault, 28, 30 * kMs),
              row(Cause::LaunchDispatch, 64, 40 * kMs)},
             160 * kMs);
  device.warmup = window({row(Cause::ColdModule, 3, 900 * kMs)}, 100 * kMs);
  device.whole = window({row(Cause::ColdModule, 3, 900 * kMs), row(Cause::SyncItem, 67, 80 * kMs),
                         row(Cause::DataMain, 28, 160 * kMs)},
                        260 * kMs);
  model.devices = {device};
  ModelProcess process;
  process.pid = 7;
  process.steps = StepStats{12, 2, 40 * kMs, 40 * kMs, 41 * kMs, "optimizer"};
  model.processes = {process};
  model.combined.gain = Gain{20, 30, 40, 12 * kMs};
  return model;
}

}  // namespace

TEST_CASE("the line that costs most in all is the main cause, though its causes are smaller each") {
  Model model = spread();
  set_verdict(model, Recording{});
  CHECK(model.verdict_code == "data");
  CHECK_THAT(model.verdict,
             contains("at train.py:28; that line costs 12.00 ms per step in all (with "
                      "host.starved, host.page_fault)"));
}

TEST_CASE("causes that do not share a line stay apart") {
  Model model = spread();
  for (CauseRow& r : model.devices[0].steady->causes)
    if (family_of(r.cause) == CauseFamily::Host) r.site->line += static_cast<int32_t>(r.cause);
  set_verdict(model, Recording{});
  CHECK(model.verdict_code == "sync");
  CHECK_THAT(model.verdict, contains("at train.py:67"));
  CHECK(model.verdict.find("in all") == std::string::npos);
}

TEST_CASE("each window has a verdict of its own, and gains belong to the steady steps") {
  const Model model = spread();
  const Verdict warmup = verdict_of(model, WindowKind::Warmup);
  CHECK(warmup.code == "cold");
  CHECK(
      warmup.sentence ==
      "In the warm-up: GPU idle 90.0 % of the time. Main cause: first use of kernels (module load) "
      "at train.py:3, 900 ms.");
  const Verdict whole = verdict_of(model, WindowKind::Whole);
  CHECK_THAT(whole.sentence, contains("Whole recording, warm-up included: GPU idle"));
  CHECK(whole.sentence.find("gain") == std::string::npos);
  CHECK_THAT(verdict_of(model, WindowKind::Usual).sentence, contains("per step"));
}

TEST_CASE("the main cause is the repair to begin with, unless another gains clearly more") {
  Model model = spread();
  std::vector<CauseRow>& rows = model.devices[0].steady->causes;
  rows[1].gain = Gain{20, 30.0, 40, 12 * kMs};  // data.main at line 28
  rows[0].gain = Gain{20, 30.8, 40, 12 * kMs};
  const Verdict same = verdict_of(model, WindowKind::Usual);
  CHECK(same.repair == &rows[1]);
  CHECK_THAT(same.sentence, contains("; fixing it gains 12.00 ms per step (20 to 40 %)"));
  rows[0].gain = Gain{30, 33.0, 40, 13 * kMs};
  const Verdict other = verdict_of(model, WindowKind::Usual);
  CHECK(other.repair == &rows[0]);
  CHECK_THAT(other.sentence, contains("; the best single repair, "));
  rows[0].gain = rows[1].gain = Gain{0, 0.2, 2, 0};
  CHECK(verdict_of(model, WindowKind::Usual).repair == nullptr);
  CHECK(verdict_of(model, WindowKind::Whole).repair == nullptr);
}

TEST_CASE("the verdict is about the device that idles most, of those asked for") {
  Model model = spread();
  model.devices.push_back(model.devices[0]);
  model.devices[1].ordinal = 1;
  model.devices[1].steady = window({row(Cause::HostSleep, 5, 90 * kMs)}, 310 * kMs);
  CHECK(verdict_of(model, WindowKind::Usual).device == &model.devices[0]);
  const Verdict second = verdict_of(model, WindowKind::Usual, 1);
  CHECK(second.device == &model.devices[1]);
  CHECK_THAT(second.sentence, contains("GPU idle 22.5 %"));
  CHECK_THAT(second.sentence, contains("at train.py:5"));
}

TEST_CASE("long times without steps are seconds") {
  Model model = spread();
  model.devices[0].warmup = window({row(Cause::ColdModule, 3, 23'456 * kMs)}, 100 * kMs);
  CHECK_THAT(verdict_of(model, WindowKind::Warmup).sentence, contains("at train.py:3, 23.5 s"));
}

TEST_CASE("a line's rows add up, largest first, and what has no line is in none") {
  const Window w = window({row(Cause::DataMain, 28, 5), row(Cause::HostStarved, 28, 7),
                           row(Cause::SyncItem, 67, 9), row(Cause::DeviceSpacing, 0, 100)},
                          0);
  const std::vector<LineCost> lines = line_costs(w.causes);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].ns == 12);
  CHECK(lines[0].rows.front()->cause == Cause::HostStarved);
  CHECK(main_causes(lines[0]).size() == 2);
  CHECK(lines[1].ns == 9);
}
