// Counters of timelines: their values, in windows too, and how few points they may have.
#include <simdjson.h>

#include "test/builder/recording_builder.h"
#include "test/catch.h"
#include "test/unit/export/exported.h"
#include "test/unit/export/trace_rules.h"

using namespace gpustall;        // NOLINT
using namespace gpustall::test;  // NOLINT

namespace {

constexpr TraceTime kMs = 1'000'000;
const std::string kTorch = "/usr/lib/python3/dist-packages/torch/utils/data/";
const std::string kLoop = kTorch + "_utils/worker.py:300 _worker_loop";
const std::string kIndex = kLoop + "; /usr/lib/python3.11/multiprocessing/queues.py:113 get";
const std::string kFetch = kLoop + "; " + kTorch + "_utils/fetch.py:50 fetch; data.py:7 load";

using Points = std::vector<std::pair<int64_t, int64_t>>;  // time in the device's clock, value

Points points(const std::string& text, std::string_view name) {
  simdjson::dom::parser parser;
  const simdjson::padded_string padded(text);
  const auto file = parser.parse(padded);
  const int64_t base = file["baseTimeNanoseconds"];
  Points found;
  for (auto event : file["traceEvents"]) {
    if (std::string_view(event["ph"]) != "C" || std::string_view(event["name"]) != name) continue;
    const double us = event["ts"];
    simdjson::dom::object values = event["args"];
    found.emplace_back(base + std::llround(us * 1000), int64_t((*values.begin()).value));
  }
  return found;
}

// A trainer whose ten kernels start every 10 ms, 2 ms after their launches, and two workers that
// wait for an index, load, wait.
struct LoaderRun {
  LoaderRun() {
    const auto gpu = b.queue(0, 7);
    const auto main = b.thread("main");
    for (int i = 0; i < 10; ++i) {
      const TraceTime at = i * 10 * kMs;
      b.launch(main, {at, at + kMs}, gpu, "k", {at + 2 * kMs, at + 5 * kMs}, "train.py:3 step");
    }
    for (const uint32_t pid : {101u, 102u}) {
      Process& process = b.process(pid, trace::Role::LoaderWorker);
      process.parent_pid = 100;
      process.first_ns = 5 * kMs;
      process.last_ns = 95 * kMs;
      workers.push_back(b.thread("worker " + std::to_string(pid)));
      b.thread_at(workers.back()).tid = pid;
    }
    wait(0, {10 * kMs, 20 * kMs}, kIndex);
    wait(0, {20 * kMs, 40 * kMs}, kFetch);
    wait(0, {40 * kMs, 90 * kMs}, kIndex);
    wait(1, {15 * kMs, 50 * kMs}, kIndex);
    wait(1, {60 * kMs, 90 * kMs}, kIndex);
  }
  void wait(size_t worker, Span at, const std::string& stack,
            trace::ObjectKind kind = trace::ObjectKind::Pipe) {
    b.wait(workers[worker], "poll", at,
           {.object = b.object(kind, {}, 500 + worker), .stack = stack, .result = 1});
  }
  std::string chrome(const std::string& window = {}) const {
    cli::TimelineWish wish;
    if (!window.empty()) wish.window = *cli::parse_window(window);
    wish.window_text = window;
    return Exported(b.build()).chrome(wish);
  }
  Points idle(const std::string& window = {}) const {
    const std::string text = chrome(window);
    for (const std::string& broken : broken_rules(text)) FAIL_CHECK(broken);
    return points(text, "idle loader workers");
  }

  RecordingBuilder b;
  std::vector<ThreadIndex> workers;
};

std::string one_counter(const std::string& rows) {
  return R"({"traceEvents":[{"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":"p"}})" +
         rows + "]}";
}
std::string row(const std::string& ts, const std::string& args, int pid = 1) {
  return R"(,{"ph":"C","name":"n","pid":)" + std::to_string(pid) + R"(,"ts":)" + ts +
         R"(,"args":{)" + args + "}}";
}

}  // namespace

TEST_CASE("a loader's idle workers are counted from when the first of them is there") {
  CHECK(LoaderRun().idle() == Points{{5 * kMs, 0},
                                     {10 * kMs, 1},
                                     {15 * kMs, 2},
                                     {20 * kMs, 1},
                                     {40 * kMs, 2},
                                     {50 * kMs, 1},
                                     {60 * kMs, 2},
                                     {90 * kMs, 0}});
}

TEST_CASE("a worker waits for work only where it waits for an index") {
  LoaderRun run;
  run.wait(1, {51 * kMs, 52 * kMs}, kIndex, trace::ObjectKind::Semaphore);  // its queue is full
  run.wait(1, {53 * kMs, 54 * kMs}, kFetch);                                // the dataset's pipe
  CHECK(run.idle() == LoaderRun().idle());
}

TEST_CASE("of a loader of which something is unknown nothing is counted") {
  SECTION("a wait whose stack could not be read") {
    LoaderRun run;
    run.wait(1, {52 * kMs, 55 * kMs}, {});
    CHECK(run.idle().empty());
  }
  SECTION("a worker without stacks") {
    LoaderRun run;
    run.b.process(103, trace::Role::LoaderWorker).parent_pid = 100;
    run.b.thread_at(run.b.thread("worker 103")).tid = 103;
    CHECK(run.idle().empty());
  }
  SECTION("lost records, of a worker or of others") {
    for (const bool own : {true, false}) {
      LoaderRun run;
      run.b.recording().losses.push_back(
          {ProcessIndex{own ? 2u : 0u}, trace::LossKind::NoChunk, 1});
      CHECK(run.idle().empty() == own);
    }
  }
  SECTION("a closed window") {
    LoaderRun run;
    run.b.recording().unobserved.push_back(
        {ProcessIndex{1}, trace::NoticeKind::WindowClosed, 30 * kMs, 35 * kMs, {}});
    CHECK(run.idle().empty());
  }
}

TEST_CASE("a window begins with the value that is in force") {
  const LoaderRun run;
  // The timeline's time 0 is shortly before the first event, its first launch.
  const Points whole = run.idle(), part = run.idle("25ms:45ms");
  REQUIRE(part.size() == 2);
  CHECK(part[0].second == 1);
  CHECK(part[0].first > 20 * kMs);
  CHECK(part[0].first < 40 * kMs);
  CHECK(part[1] == whole[4]);
  const Points quiet = run.idle("70ms:80ms");
  REQUIRE(quiet.size() == 1);
  CHECK(quiet[0].second == 2);
}

TEST_CASE("of very many changes the extremes stay") {
  RecordingBuilder b;
  const auto main = b.thread("main");
  const auto gpu = b.queue(0, 7);
  constexpr int kLaunches = 30'000, kBurst = 25;
  for (int i = 0; i < kLaunches; ++i) {
    const TraceTime burst = i / kBurst * kMs, in_burst = i % kBurst;
    const TraceTime at = burst + in_burst * 1'000, run = burst + 100'000 + in_burst * 10'000;
    b.launch(main, {at, at + 500}, gpu, "k", {run, run + 9'000});
  }
  const Points all = points(Exported(b.build()).chrome(), "queue depth");
  CHECK(all.size() < 20'000);
  int64_t most = 0;
  for (const auto& [time, depth] : all) most = std::max(most, depth);
  CHECK(most == kBurst);
  CHECK(all.back().second == 0);
}

TEST_CASE("the strict checker refuses counters that viewers misread") {
  const std::string good = row("1.5", R"("a":3)") + row("1.5", R"("a":0)") + row("2", R"("a":1)");
  CHECK(broken_rules(one_counter(good)).empty());
  for (const std::string& bad :
       {row("0.5", R"("a":3)"), row("3", R"("b":3)"), row("3", R"("a":-1)"), row("3", R"("a":"x")"),
        row("3", ""), row("3", R"("a":1,"b":2)"), row("3", R"("a":1)", 2)})
    CHECK_FALSE(broken_rules(one_counter(good + bad)).empty());
}
