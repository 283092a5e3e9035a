// Activity records: which, when, with what in them.
#include "client.h"
#include "fake_core.h"
#include "test/catch.h"

using namespace simgpu;
using namespace simgpu::test;

namespace {
constexpr auto kKernel = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;

Activity work(ActivityKind kind) {
  Activity a = kernel(-2000, -1000);
  a.kind = kind;
  a.bytes = 4096;
  a.copy_kind = CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  a.src_kind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  a.dst_kind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  return a;
}
}  // namespace

TEST_CASE("a kernel's record has its times to the nanosecond and the ids of its launch") {
  Client client;
  client.use_buffers();
  client.enable({kKernel});
  const Activity a = kernel(-5000, -1234, "_Z3addPf");
  announce(a);
  announce(kernel(-1000, -999));
  REQUIRE(cuptiActivityFlushAll(0) == CUPTI_SUCCESS);
  const auto records = client.records();
  REQUIRE(records.size() == 2);
  const auto& k = records[0].as<CUpti_ActivityKernel10>();
  CHECK(k.end - k.start == 3766);
  CHECK(records[1].as<CUpti_ActivityKernel10>().end -
            records[1].as<CUpti_ActivityKernel10>().start ==
        1);
  CHECK(k.correlationId == 42);
  CHECK(k.streamId == 7);
  CHECK(k.gridX == 3);
  CHECK(std::string(k.name) == "_Z3addPf");
  // Record time minus device time is one constant, near CLOCK_REALTIME.
  uint64_t now = 0;
  cuptiGetTimestamp(&now);
  CHECK(now - k.start < 10'000'000'000u);
}

TEST_CASE("copies, sets, waits and overhead become records of their own kinds") {
  Client client;
  client.use_buffers();
  client.enable({CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY2,
                 CUPTI_ACTIVITY_KIND_MEMSET, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
                 CUPTI_ACTIVITY_KIND_OVERHEAD});
  announce(work(ActivityKind::Memcpy));
  Activity peer = work(ActivityKind::Memcpy);
  peer.copy_kind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
  announce(peer);
  announce(work(ActivityKind::Memset));
  Activity wait = work(ActivityKind::Sync);
  wait.sync_type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE;
  announce(wait);
  Activity full = work(ActivityKind::Overhead);
  full.overhead_kind = CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL;
  announce(full);
  announce(kernel(-2, -1));  // its kind is off
  cuptiActivityFlushAll(0);
  const auto records = client.records();
  REQUIRE(records.size() == 5);
  CHECK(records[0].as<CUpti_ActivityMemcpy6>().bytes == 4096);
  CHECK(records[0].as<CUpti_ActivityMemcpy6>().srcKind == CUPTI_ACTIVITY_MEMORY_KIND_PINNED);
  CHECK(records[1].kind == CUPTI_ACTIVITY_KIND_MEMCPY2);
  CHECK(records[2].as<CUpti_ActivityMemset4>().memoryKind == CUPTI_ACTIVITY_MEMORY_KIND_DEVICE);
  CHECK(records[3].as<CUpti_ActivitySynchronization2>().streamId == UINT32_MAX);
  CHECK(records[4].as<CUpti_ActivityOverhead3>().overheadKind ==
        CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL);
}

TEST_CASE("graph-level tracing gives one record per launch, without it the nodes are kernels") {
  Client client;
  client.use_buffers();
  client.enable({kKernel, CUPTI_ACTIVITY_KIND_GRAPH_TRACE});
  Activity whole = work(ActivityKind::GraphLaunch), node = kernel(-2000, -1500);
  whole.graph_id = node.graph_id = 5;
  node.graph_node = true;
  announce(whole);
  announce(node);
  cuptiActivityDisable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE);
  announce(whole);
  announce(node);
  cuptiActivityFlushAll(0);
  const auto records = client.records();
  REQUIRE(records.size() == 2);
  CHECK(records[0].as<CUpti_ActivityGraphTrace2>().graphId == 5);
  CHECK(records[1].as<CUpti_ActivityKernel10>().graphId == 5);
}

TEST_CASE("API records carry the external correlation ids of their thread") {
  Client client;
  client.use_buffers();
  client.enable({CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION});
  cuptiActivityEnableRuntimeApi(CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020, 0);
  cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, 77);
  { ApiScope scope(ApiDomain::Runtime, CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020, "cudaMalloc"); }
  {
    ApiScope scope(ApiDomain::Runtime, CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020,
                   "cudaGetDevice");
  }
  uint64_t last = 0;
  REQUIRE(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last) ==
          CUPTI_SUCCESS);
  CHECK(last == 77);
  CHECK(cuptiActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &last) ==
        CUPTI_ERROR_QUEUE_EMPTY);
  cuptiActivityFlushAll(0);
  const auto records = client.records();
  REQUIRE(records.size() == 2);
  const auto& external = records[0].as<CUpti_ActivityExternalCorrelation>();
  const auto& api = records[1].as<CUpti_ActivityAPI>();
  CHECK(external.externalId == 77);
  CHECK(external.correlationId == api.correlationId);
  CHECK(api.end >= api.start);
}

TEST_CASE("a driver call has a record of its own unless a runtime call made it") {
  Client client;
  client.use_buffers();
  client.enable({CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER});
  {
    ApiScope outer(ApiDomain::Runtime, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
                   "cudaLaunchKernel");
    ApiScope inner(ApiDomain::Driver, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, "cuLaunchKernel");
  }
  { ApiScope alone(ApiDomain::Driver, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, "cuLaunchKernel"); }
  cuptiActivityFlushAll(0);
  const auto records = client.records();
  REQUIRE(records.size() == 2);
  CHECK(records[0].kind == CUPTI_ACTIVITY_KIND_RUNTIME);
  CHECK(records[1].kind == CUPTI_ACTIVITY_KIND_DRIVER);
  CHECK(records[0].as<CUpti_ActivityAPI>().correlationId !=
        records[1].as<CUpti_ActivityAPI>().correlationId);
}

TEST_CASE("a timestamp callback maps device times by a straight line") {
  Client client;
  client.use_buffers();
  client.enable({kKernel});
  REQUIRE(cuptiActivityRegisterTimestampCallback([]() -> uint64_t {
            return 77'000 + static_cast<uint64_t>(now_ns()) * 5 / 2;  // a 2.5 GHz counter
          }) == CUPTI_SUCCESS);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const Activity a = kernel(-1'000'000, -500'000);
  announce(a);
  cuptiActivityFlushAll(0);
  const auto records = client.records();
  REQUIRE(records.size() == 1);
  const auto& k = records[0].as<CUpti_ActivityKernel10>();
  const double length = static_cast<double>(k.end - k.start);
  CHECK(std::abs(length - 1'250'000) < 30);
  const double expected = 77'000 + static_cast<double>(a.start_ns) * 2.5;
  CHECK(std::abs(static_cast<double>(k.start) - expected) < 5000);
}

TEST_CASE("kinds that are not modelled are refused") {
  Client client;
  CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_JIT) == CUPTI_ERROR_INVALID_KIND);
  client.enable({kKernel});
  CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_KERNEL) == CUPTI_ERROR_NOT_COMPATIBLE);
  CHECK(cuptiActivityEnableHWTrace(1) == CUPTI_ERROR_NOT_SUPPORTED);
}

TEST_CASE("each version has its record sizes, and the old fields where they always were") {
  struct Expected {
    const char* settings;
    uint32_t version;
    size_t kernel, memcpy, sync;
  };
  const Expected rows[] = {{"version=11.8", 18, 200, 88, 40},
                           {"version=12.4", 22, 208, 88, 40},
                           {"version=12.8", 26, 208, 96, 56},
                           {"version=13.0", 130001, 216, 96, 56},
                           {"version=13.4", 130401, 248, 112, 56}};
  for (const Expected& row : rows) {
    Client client(row.settings);
    uint32_t version = 0;
    cuptiGetVersion(&version);
    CHECK(version == row.version);
    client.use_buffers();
    client.enable({kKernel, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION});
    announce(kernel(-2000, -1000));
    announce(work(ActivityKind::Memcpy));
    Activity wait = work(ActivityKind::Sync);
    announce(wait);
    cuptiActivityFlushAll(0);
    const auto records = client.records();
    REQUIRE(records.size() == 3);
    CHECK(records[0].bytes.size() == row.kernel);
    CHECK(records[0].at<uint64_t>(24) - records[0].at<uint64_t>(16) == 1000);
    CHECK(records[0].at<uint32_t>(92) == 42);
    CHECK(records[1].bytes.size() == row.memcpy);
    CHECK(records[1].at<uint32_t>(44) == 42);
    CHECK(records[2].bytes.size() == row.sync);
  }
}
