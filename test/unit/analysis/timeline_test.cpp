// Busy, idle and the split of busy: exact, over streams, graphs and ties.
#include <random>

#include "test/builder/recording_text.h"
#include "test/catch.h"
#include "test/unit/analysis/invariants.h"
#include "test/unit/analysis/summary.h"

using namespace gpustall;
using namespace gpustall::test;

TEST_CASE("busy is the union over the streams of a device") {
  CHECK(gaps_of(recording_of(R"(
    queue 7
    launch a 0us 2us 5us +10us | train.py:1 main
    launch c 20us 22us 30us 40us | train.py:2 main
    queue 8
    launch b 3us 4us 8us +10us | train.py:3 main
  )")) == golden(R"(
    gap 18..30 us
      18..23 us launch.dispatch train.py:2 main
      23..25 us launch.call train.py:2 main
      25..30 us device.latency train.py:2 main
  )"));
}

TEST_CASE("busy is split in the order compute, exposed copies, exposed collectives") {
  const Recording r = recording_of(R"(
    queue 7
    launch gemm 0us 1us 10us 20us
    queue 8
    launch ncclDevKernel_AllReduce 1us 2us 15us 40us
    call cudaMemcpyAsync 2us 3us corr=5
    memcpy h2d 18us 30us corr=5 src=pinned
    memset 40us 42us
  )");
  const Analysis a = checked_analysis(r);
  REQUIRE(a.timelines.size() == 1);
  CHECK(a.timelines[0].compute_ns == 12'000);
  CHECK(a.timelines[0].exposed_copy_ns == 10'000);
  CHECK(a.timelines[0].exposed_collective_ns == 10'000);
  CHECK(a.timelines[0].idle_ns() == 0);
}

TEST_CASE("a graph launch is one activity, and the gap before it belongs to its launch") {
  CHECK(gaps_of(recording_of(R"(
    launch a 0us 2us 4us +10us | train.py:1 main
    call cudaGraphLaunch 30us 34us corr=9 | train.py:5 main; /x/site-packages/torch/cuda/graphs.py:80 replay
    graph 36us +100us corr=9
  )")) == golden(R"(
    gap 14..36 us
      14..32 us launch.dispatch train.py:5 main
      32..36 us launch.call train.py:5 main
  )"));
}

TEST_CASE("an activity without a launch record leaves its gap unknown, and is counted") {
  const Recording r = recording_of(R"(
    launch a 0us 2us 4us +10us | train.py:1 main
    kernel lost 50us 60us corr=77
  )");
  CHECK(gaps_of(r) == "gap 14..50 us\n  14..50 us unknown.unlinked\n");
  CHECK(analyze(r).unlinked_activities == 1);
}

TEST_CASE("several activities that start together: the lowest correlation closes the gap") {
  const Analysis a = checked_analysis(recording_of(R"(
    queue 7
    call cudaLaunchKernel 0us 1us corr=1
    kernel a 2us 3us corr=1
    call cudaLaunchKernel 10us 11us corr=3
    call cudaLaunchKernel 5us 6us corr=2
    kernel c 12us 20us corr=3
    queue 8
    kernel b 12us 25us corr=2
  )"));
  REQUIRE(a.gaps.size() == 1);
  CHECK(a.gaps.closing[0] == 2);
}

TEST_CASE("correlation ids are unique per process only") {
  const Recording r = recording_of(R"(
    process 100 trainer
    launch a 0us 1us 2us 3us | a.py:1 f
    call cudaLaunchKernel 10us 11us corr=5 | a.py:2 f
    kernel k 12us 20us corr=5
    process 200 trainer
    call cudaLaunchKernel 0us 1us corr=5 | b.py:1 f
    kernel k 30us 40us corr=5
  )");
  const Analysis a = checked_analysis(r);
  CHECK(a.unlinked_activities == 0);
  CHECK(a.timelines.size() == 1);
  CHECK(gaps_of(r).find("b.py") != std::string::npos);
}

TEST_CASE("whatever the activities, slices and windows add up to the nanosecond") {
  std::mt19937 random(20240607);
  for (int round = 0; round < 150; ++round) {
    RecordingBuilder b;
    const auto upto = [&](int n) {
      return static_cast<TraceTime>(random() % static_cast<unsigned>(n));
    };
    const ThreadIndex threads[] = {b.thread("main"), b.thread("other")};
    const QueueIndex queues[] = {b.queue(0, 7), b.queue(0, 8), b.queue(1, 7)};
    TraceTime host = 1000, device = 1000;
    uint64_t correlation = 0;
    for (int i = 0, n = 1 + static_cast<int>(upto(60)); i < n; ++i) {
      host += upto(30);
      device = std::max(device - 40, host) + upto(50);  // overlaps, ties, late and early starts
      const Span call{host, host + upto(20)}, run{device, device + upto(3) * upto(30)};
      const ThreadIndex thread = threads[upto(2)];
      const QueueIndex queue = queues[upto(3)];
      const char* const stack = upto(2) != 0 ? "train.py:10 main" : "";
      switch (upto(6)) {
        case 0:
          b.call(thread, "cudaMemcpyAsync", call, {.correlation = ++correlation, .stack = stack});
          b.memcpy(queue, run, correlation,
                   {static_cast<uint64_t>(upto(9)), upto(2) != 0 ? kHostToDevice : kDeviceToHost});
          b.call(thread, "cudaStreamSynchronize", {call.end, call.end + upto(60)},
                 {.stack = stack});
          break;
        case 1:
          b.kernel(queue, "unlinked", run, 5000 + correlation);
          break;
        case 2:
          b.wait(thread, "pthread_cond_wait", {call.start, call.end + upto(90)});
          break;
        case 3:
          b.memset(queue, run);
          break;
        default:
          b.call(thread, "cudaLaunchKernel", call, {.correlation = ++correlation, .stack = stack});
          b.kernel(queue, upto(4) == 0 ? "ncclDevKernel" : "gemm", run, correlation);
      }
    }
    INFO("round " << round);
    CHECK_NOTHROW(checked_analysis(b.build()));
  }
}
