// Threads that want a CPU and get none: other threads', the quota's, the interpreter's doing.
#include "collector/analyze/throttles.h"
#include "collector/model/narrowed.h"
#include "test/builder/recording_text.h"
#include "test/catch.h"
#include "test/unit/analysis/summary.h"

using namespace gpustall;
using namespace gpustall::test;
using namespace gpustall::collect;

namespace {

constexpr TraceTime kMs = 1'000'000;

void counter(RecordingBuilder& b, TraceTime at, int64_t value) {
  Recording& r = b.recording();
  Counters& c = r.counters;
  if (c.size() == 0) r.strings.push_back(trace::kThrottledCounter);
  c.process.push_back(ProcessIndex(0));
  c.time.push_back(at);
  c.key.push_back(c.size() > 1 ? c.key.front()
                               : StringId(static_cast<uint32_t>(r.strings.size() - 1)));
  c.value.push_back(value);
}

// 60 ms of Python between two launches, sampled each 10 ms, of which the thread has a CPU for a
// half. `waits`: what the kernel has counted by each sample.
std::string loop(std::initializer_list<int> waits) {
  std::string text = "launch k 0us 2us 4us 10us | train.py:5 main\n";
  int i = 0;
  for (const int waited : waits)
    text += "sample " + std::to_string(1 + 10 * i++) +
            "ms state=running cpu=1ms runnable=" + std::to_string(waited) +
            "ms | train.py:7 work\n";
  return text + "launch k 70000us 70002us 70004us 70010us | train.py:9 main\n";
}

}  // namespace

TEST_CASE("a wait for a CPU that the kernel counts at its end is spread over the samples before") {
  const std::string even = causes_of(recording_of(loop({1, 6, 11, 16, 21, 26, 31})));
  CHECK_THAT(even, contains("host.starved train.py:7 work"));
  // 30 ms in all, told in two lumps that are longer than the time since the sample before.
  const std::string lumps = causes_of(recording_of(loop({1, 1, 1, 16, 16, 16, 31})));
  const auto starved = [](const std::string& text) {
    const size_t at = text.find(" us host.starved");
    REQUIRE(at != std::string::npos);
    return std::stod(text.substr(text.rfind('\n', at) + 1, at));
  };
  CHECK(std::abs(starved(even) - starved(lumps)) < 6'000);
  CHECK(std::abs(starved(lumps) - 32'000) < 6'000);
}

TEST_CASE("stops by the quota lie before the moment at which they are counted") {
  RecordingBuilder b;
  b.process(100);
  b.recording().processes[0].info = {{"cpu.quota", "50000 100000"}, {"cpu.allowed", "2"}};
  counter(b, 0, 7 * kMs);  // from before the recording
  counter(b, 100 * kMs, 57 * kMs);
  counter(b, 200 * kMs, 207 * kMs);  // both CPUs: at least 25 ms of the period they ran
  counter(b, 210 * kMs, 247 * kMs);  // no more than the time since
  const std::vector<Throttle> found = find_throttles(b.build());
  REQUIRE(found.size() == 3);
  CHECK((found[0].start == 50 * kMs && found[0].end == 100 * kMs));
  CHECK((found[1].start == 125 * kMs && found[1].end == 200 * kMs));
  CHECK((found[2].start == 200 * kMs && found[2].end == 210 * kMs));
}

TEST_CASE("a stop by the quota owns the time of all the process's threads, once") {
  RecordingBuilder b;
  add_text(b, loop({1, 1, 1, 31, 31, 31, 31}));
  b.recording().processes[0].info = {{"cpu.quota", "50000 100000"}, {"cpu.allowed", "1"}};
  counter(b, 0, 0);
  counter(b, 31 * kMs, 30 * kMs);
  const std::string text = causes_of(b.build());
  CHECK_THAT(text, contains("30000 us host.throttled train.py:7 work"));
  CHECK(text.find("host.starved") == std::string::npos);  // the kernel counts it there, too
}

TEST_CASE("a comprehension is part of the line that it stands in") {
  const std::string text = causes_of(recording_of(R"(
    launch k 0us 2us 4us 10us | train.py:5 main
    sample 1ms state=running | train.py:7 main; train.py:7 <genexpr>
    sample 2ms state=running | train.py:7 main
    sample 3ms state=running | train.py:7 main; train.py:8 <genexpr>
    launch k 4000us 4002us 4004us 4010us | train.py:9 main
  )"));
  CHECK_THAT(text, contains("train.py:7 main"));
  CHECK_THAT(text, contains("train.py:8 <genexpr>"));  // a line of its own
  CHECK(text.find("train.py:7 <genexpr>") == std::string::npos);
}

TEST_CASE("a worker that waits for the GIL of its sending thread is sending") {
  const auto worker = [](const std::string& sender) {
    return causes_of(recording_of(R"(
      process 100 trainer
      thread main
      launch k 0us 2us 4us 10us | train.py:5 main
      wait poll 20us 5000us object=pipe identity=9 | train.py:3 main; /x/site-packages/torch/utils/data/dataloader.py:1200 _try_get_data
      launch k 5100us 5102us 5104us 5110us | train.py:5 main
      process 101 loader_worker parent=100
      thread QueueFeeder
      )" + sender + R"(
      thread worker tid=101
      wait pthread_cond_timedwait 10us 4900us object=gil | train.py:3 main; /x/site-packages/torch/utils/data/_utils/worker.py:300 _worker_loop; /x/site-packages/torch/utils/data/_utils/fetch.py:50 fetch; data.py:7 __getitem__
    )"));
  };
  CHECK_THAT(worker("wait write 4980us 4990us object=pipe identity=9"), contains("data.transport"));
  CHECK_THAT(worker("wait read 4980us 4990us object=file:/a"), contains("data.worker_wait"));
}

TEST_CASE("who took CPUs away: a library before the recording, a line of the script, nobody seen") {
  RecordingBuilder b;
  add_text(b, R"(
    process 100 trainer
    thread main
    wait sched_setaffinity 10us 12us result=4 | train.py:7 main
    wait sched_setaffinity 20us 22us | train.py:8 main
    wait sched_setaffinity 30us 32us result=1 | train.py:9 main; /x/site-packages/torch/a.py:3 bind
    wait sched_setaffinity 40us 42us result=4 | train.py:10 main
  )");
  auto& info = b.recording().processes[0].info;
  info = {{"cpu.at_start", "8"}, {"cpu.allowed", "4"}, {"cpu.narrowed", "8 to 4 by /x/libgomp.so"}};
  std::vector<Narrowing> found = narrowings(b.build(), ProcessIndex(0));
  REQUIRE(found.size() == 2);
  CHECK((found[0].before == 8 && found[0].after == 4 && found[0].by == "/x/libgomp.so"));
  CHECK((found[1].before == 4 && found[1].after == 1));
  REQUIRE(found[1].site);
  CHECK(found[1].site->line == 9);
  info.erase("cpu.narrowed");
  found = narrowings(b.build(), ProcessIndex(0));
  CHECK((found.size() == 2 && found[0].by.empty() && !found[0].site));
}

TEST_CASE("a launch call that takes long because its thread has no CPU is not the call's fault") {
  const auto run = [](int waited) {
    return causes_of(recording_of(R"(
      launch k 0us 2us 4us 10us | train.py:5 main
      sample 1ms state=running cpu=1ms runnable=1ms | train.py:5 main
      launch k 2000us 6000us 6004us 6010us | train.py:5 main
      sample 7ms state=running cpu=2ms runnable=)" +
                                  std::to_string(1 + waited) + R"(ms | train.py:5 main
      launch k 8000us 8002us 8004us 8010us | train.py:5 main
    )"));
  };
  CHECK_THAT(run(3), contains("host.starved train.py:5 main"));
  CHECK_THAT(run(1), contains("4002 us launch.call train.py:5 main"));
}
