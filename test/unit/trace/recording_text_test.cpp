// The builders of recordings themselves: what the text says is what the tables hold.
#include "test/builder/recording_text.h"

#include <random>

#include "test/catch.h"

using namespace gpustall;
using namespace gpustall::test;

TEST_CASE("a recording's text fills every table, sorted") {
  const Recording r = recording_of(R"(
    process 100 trainer rank=3
    thread main
    queue 7
    call cudaMemcpyAsync 20us +30us corr=2 bytes=4 kind=d2h | train.py:10 main; model.py:3 forward
    launch "gemm 128" 10us 12us 15us +25us | train.py:10 main  # out of order on purpose
    wait sem_wait 60us +1.5ms object=semaphore:q waker=pin@900us
    sample 15us state=running cpu=1ms | train.py:11 main
    memcpy d2h 41us +5us corr=2 bytes=4
    clock 0 100us
  )");
  REQUIRE(r.calls.size() == 2);
  CHECK(r.calls.call[0] == trace::Call::LaunchKernel);
  CHECK(r.calls.start[1] == 20'000);
  CHECK(r.calls.end[1] == 50'000);
  const StackNode& leaf = r.stacks[raw(r.calls.stack[1])];
  CHECK(r.text(r.frames[raw(leaf.frame)].function) == "forward");
  CHECK(r.frames[raw(leaf.frame)].line == 3);
  CHECK(leaf.parent == r.calls.stack[0]);
  REQUIRE(r.activities.size() == 2);
  CHECK(r.text(r.activities.name[0]) == "gemm 128");
  CHECK(r.activities.correlation[0] == r.calls.correlation[0]);
  CHECK(r.activities.src_kind[1] == kDeviceMemory);
  REQUIRE(r.waits.size() == 1);
  CHECK(r.waits.end[0] == 1'560'000);
  CHECK(r.text(r.threads[raw(r.waits.waker[0])].name) == "pin");
  CHECK(r.processes[0].rank == 3);
  CHECK(r.processes[0].first_ns == 10'000);
  CHECK(r.processes[0].last_ns == 1'560'000);
  CHECK(r.processes[0].device_clock.to_host(50) == 100'050);
}

TEST_CASE("nonsense in a recording's text names its line") {
  CHECK_THROWS_WITH(recording_of("\nkernel gemm 5us 4us"),
                    contains("line 2: an interval ends before it starts"));
  CHECK_THROWS_WITH(recording_of("call cudaFoo 1 2"), contains("cudaFoo"));
  CHECK_THROWS_WITH(recording_of("kernel gemm 1 2 cor=5"), contains("'cor'"));
}

TEST_CASE("device clock readings are joined by straight lines and extended by their mean slope") {
  DeviceClock clock;
  CHECK(clock.to_host(5) == 5);
  clock.device_ns = {1000, 2000, 4000};
  clock.host_ns = {10'000, 11'000, 15'000};
  CHECK(clock.to_host(1000) == 10'000);
  CHECK(clock.to_host(1500) == 10'500);
  CHECK(clock.to_host(3000) == 13'000);
  CHECK(clock.to_host(4000) == 15'000);
  CHECK(clock.to_host(4300) == 15'500);
  CHECK(clock.to_host(700) == 9'500);
}

namespace {

// Between readings, one after the other and in 128 bits.
TraceTime slow_to_host(const DeviceClock& clock, TraceTime t) {
  size_t i = 1;
  while (clock.device_ns[i] <= t) ++i;
  const __int128 run = __int128{t} - clock.device_ns[i - 1];
  const __int128 rise = __int128{clock.host_ns[i]} - clock.host_ns[i - 1];
  const __int128 whole = __int128{clock.device_ns[i]} - clock.device_ns[i - 1];
  return static_cast<TraceTime>(clock.host_ns[i - 1] + run * rise / whole);
}

}  // namespace

TEST_CASE("times between readings are exact, however unevenly the readings lie") {
  std::mt19937_64 random(1);
  const auto below = [&](uint64_t n) { return static_cast<int64_t>(random() % n); };
  for (int round = 0; round < 200; ++round) {
    DeviceClock clock;
    const auto step = uint64_t{1} << (1 + below(40));  // up to 18 minutes
    int64_t device = below(uint64_t{1} << 60), host = below(uint64_t{1} << 60);
    for (int64_t n = 2 + below(40); n > 0; --n) {
      clock.device_ns.push_back(device += 1 + below(below(8) == 0 ? 20 * step : step));
      clock.host_ns.push_back(host += below(step));
    }
    const auto span = static_cast<uint64_t>(clock.device_ns.back() - clock.device_ns.front());
    for (int i = 0; i < 100; ++i) {
      const TraceTime t = clock.device_ns.front() + below(span);
      REQUIRE(clock.to_host(t) == slow_to_host(clock, t));
    }
    for (size_t i = 0; i + 1 < clock.device_ns.size(); ++i)
      REQUIRE(clock.to_host(clock.device_ns[i]) == clock.host_ns[i]);
  }
}
