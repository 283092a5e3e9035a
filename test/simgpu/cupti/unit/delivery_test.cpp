// Buffers: who asks for them, when they come back, and the damage that the settings order.
#include "client.h"
#include "fake_core.h"
#include "test/catch.h"
#include "test/simgpu/cupti/settings.h"

using namespace simgpu;
using namespace simgpu::test;

namespace {
constexpr auto kKernel = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;

size_t dropped() {
  size_t count = 0;
  cuptiActivityGetNumDroppedRecords(nullptr, 0, &count);
  return count;
}

uint64_t start_of(const Record& record) {
  return record.as<CUpti_ActivityKernel10>().start;
}
uint64_t end_of(const Record& record) {
  return record.as<CUpti_ActivityKernel10>().end;
}

void announce_kernels(int count) {
  for (int i = 0; i < count; ++i)
    announce(kernel(-1'000'000 + i * 1000, -1'000'000 + i * 1000 + 500));
}
}  // namespace

TEST_CASE("the first buffer is asked for on the submitting thread, before any flush") {
  Client client;
  client.use_buffers();
  client.enable({kKernel});
  CHECK(client.requested == 0);
  announce(kernel(0, 1'000'000'000));
  CHECK(client.requested == 1);
  CHECK(client.requested_on == std::this_thread::get_id());
}

TEST_CASE("work that has not ended stays back at a flush and comes with the next one") {
  Client client;
  client.use_buffers();
  client.enable({kKernel});
  announce(kernel(0, 3'600'000'000'000));
  announce(kernel(-2000, -1000));
  cuptiActivityFlushAll(0);
  CHECK(client.records().size() == 1);
  advance_clock(3'600'000'000'000);
  cuptiActivityFlushAll(0);
  REQUIRE(client.records().size() == 2);
  CHECK(end_of(client.records()[1]) - start_of(client.records()[1]) == 3'600'000'000'000);
}

TEST_CASE("a forced flush delivers unfinished work with times of zero, once") {
  Client client;
  client.use_buffers();
  client.enable({kKernel});
  announce(kernel(0, 3'600'000'000'000));
  announce(kernel(-2000, -1000));
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  REQUIRE(client.records().size() == 2);
  CHECK(start_of(client.records()[0]) == 0);
  CHECK(end_of(client.records()[0]) == 0);
  CHECK(end_of(client.records()[1]) - start_of(client.records()[1]) == 1000);
  advance_clock(3'600'000'000'000);
  cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  CHECK(client.records().size() == 2);
}

TEST_CASE("full buffers come from the worker thread without a flush, partly filled ones do not") {
  Client client;
  client.use_buffers(10 * sizeof(CUpti_ActivityKernel10));
  client.enable({kKernel});
  announce_kernels(25);
  REQUIRE(client.wait_for_records(20));
  CHECK(client.completed_on != std::this_thread::get_id());
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  CHECK(client.records().size() == 20);
  cuptiActivityFlushAll(0);
  CHECK(client.records().size() == 25);
  CHECK(dropped() == 0);
}

TEST_CASE("a declined buffer costs records, and they are counted once") {
  Client client("version=13.0");
  client.use_buffers();
  client.decline = true;
  client.enable({kKernel});
  announce_kernels(3);
  cuptiActivityFlushAll(0);
  CHECK(client.records().empty());
  CHECK(dropped() == 3);
  CHECK(dropped() == 0);
}

TEST_CASE("threads have buffers of their own, unless the client wants one for all") {
  Client client;
  client.use_buffers();
  client.enable({kKernel});
  announce(kernel(-2000, -1000));
  std::thread([] { announce(kernel(-2000, -1000)); }).join();
  CHECK(client.requested == 2);
  cuptiActivityFlushAll(1);
  CHECK(client.records().size() == 2);

  uint8_t off = 0, on = 1;
  size_t size = sizeof off;
  REQUIRE(cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, &size, &off) ==
          CUPTI_SUCCESS);
  client.requested = 0;
  announce(kernel(-2000, -1000));
  std::thread([] { announce(kernel(-2000, -1000)); }).join();
  CHECK(client.requested == 1);
  cuptiActivityFlushAll(1);
  CHECK(client.records().size() == 4);
  cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, &size, &on);
}

TEST_CASE(
    "a flush without registered buffers is an invalid operation only before the first "
    "registration") {
  Client client;
  client.use_buffers();
  CHECK(cuptiActivityFlushAll(0) == CUPTI_SUCCESS);
  CHECK(client.completed == 0);
}

TEST_CASE("dropped, zeroed and nonsense records come as often as ordered") {
  {
    Client client("drop=5");
    client.use_buffers();
    client.enable({kKernel});
    announce_kernels(10);
    cuptiActivityFlushAll(0);
    CHECK(client.records().size() == 8);
    CHECK(dropped() == 2);
  }
  Client client("zero=5,garbage=2");
  client.use_buffers();
  client.enable({kKernel});
  announce_kernels(10);
  cuptiActivityFlushAll(0);
  int zero = 0, wrong = 0;
  for (const Record& record : client.records()) {
    if (start_of(record) == 0) ++zero;
    if (start_of(record) != 0 && end_of(record) - start_of(record) != 500) ++wrong;
  }
  CHECK(zero >= 1);
  CHECK(wrong >= 3);
}

TEST_CASE("late records come from the worker, in storms of small buffers, out of order") {
  Client client("late=40,storm=2,shuffle");
  client.use_buffers();
  client.enable({kKernel});
  const int64_t before = now_ns();
  for (int i = 0; i < 5; ++i) announce(kernel(-10 + i, -5 + i));
  cuptiActivityFlushAll(0);
  CHECK(client.records().empty());
  REQUIRE(client.wait_for_records(5));
  CHECK(now_ns() - before > 35'000'000);
  CHECK(client.completed >= 3);
  CHECK(client.completed_on != std::this_thread::get_id());
  CHECK(start_of(client.records()[0]) > start_of(client.records()[4]));
}

TEST_CASE("a slow flush takes its time") {
  Client client("slow_flush_ms=30");
  client.use_buffers();
  const int64_t before = now_ns();
  cuptiActivityFlushAll(0);
  CHECK(now_ns() - before >= 30'000'000);
}

TEST_CASE("settings that are not understood are reported") {
  std::string error;
  const auto good =
      simgpu::cupti::parse_settings("version=12.4,subscribe=39,missing=a:b,late,drop=3", &error);
  CHECK(error.empty());
  CHECK(good.missing == std::vector<std::string>{"a", "b"});
  CHECK(good.late_ns == 50'000'000);
  for (const char* bad : {"verison=12.4", "drop=x", "drop=-1", "missing=", "shuffle=1", "zero"}) {
    error.clear();
    simgpu::cupti::parse_settings(bad, &error);
    CHECK(!error.empty());
  }
}
