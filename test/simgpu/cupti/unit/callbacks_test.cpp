// API, resource and synchronisation callbacks; the single subscriber.
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "fake_core.h"
#include "test/catch.h"

using namespace simgpu;
using namespace simgpu::test;

namespace {
constexpr uint32_t kLaunch = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000;
constexpr uint32_t kMalloc = CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020;
constexpr uint32_t kDriverLaunch = CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel;

int launch(int result = 0) {
  ApiScope runtime(ApiDomain::Runtime, kLaunch, "cudaLaunchKernel", nullptr, "_Z1kv");
  {
    ApiScope driver(ApiDomain::Driver, kDriverLaunch, "cuLaunchKernel", nullptr, "_Z1kv");
    driver.done(result);
  }
  return runtime.done(result);
}
}  // namespace

TEST_CASE(
    "a runtime call and its nested driver call arrive as four callbacks with one correlation id") {
  Client client;
  const auto handle = client.subscribe();
  REQUIRE(cuptiEnableCallback(1, handle, CUPTI_CB_DOMAIN_RUNTIME_API, kLaunch) == CUPTI_SUCCESS);
  REQUIRE(cuptiEnableCallback(1, handle, CUPTI_CB_DOMAIN_DRIVER_API, kDriverLaunch) ==
          CUPTI_SUCCESS);
  launch(700);
  REQUIRE(client.calls.size() == 4);
  CHECK(client.calls[0].name == "cudaLaunchKernel");
  CHECK(client.calls[1].name == "cuLaunchKernel");
  CHECK(client.calls[2].site == CUPTI_API_EXIT);
  CHECK(client.calls[3].domain == CUPTI_CB_DOMAIN_RUNTIME_API);
  CHECK(client.calls[3].symbol == "_Z1kv");
  CHECK(client.calls[3].result == 700);
  for (const Call& call : client.calls) {
    CHECK(call.correlation == client.calls[0].correlation);
    CHECK(call.data == 1000u + call.correlation);  // what enter stored, exit finds
  }
}

TEST_CASE("only the enabled callback ids of a domain fire") {
  Client client;
  const auto handle = client.subscribe();
  cuptiEnableDomain(1, handle, CUPTI_CB_DOMAIN_RUNTIME_API);
  cuptiEnableCallback(0, handle, CUPTI_CB_DOMAIN_RUNTIME_API, kMalloc);
  { ApiScope scope(ApiDomain::Runtime, kMalloc, "cudaMalloc"); }
  CHECK(client.calls.empty());
  launch();
  CHECK(client.calls.size() == 2);
  uint32_t on = 7;
  REQUIRE(cuptiGetCallbackState(&on, handle, CUPTI_CB_DOMAIN_RUNTIME_API, kMalloc) ==
          CUPTI_SUCCESS);
  CHECK(on == 0);
}

TEST_CASE("there is one subscriber, and the second one is told who holds the place") {
  Client client;
  CUpti_SubscriberHandle first = nullptr, second = nullptr;
  char holder[CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN] = "";
  CUpti_SubscriberParams params{sizeof params, "gpustall", holder, sizeof holder};
  const auto function = [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {};
  REQUIRE(cuptiSubscribe_v2(&first, function, nullptr, &params) == CUPTI_SUCCESS);
  CHECK(cuptiSubscribe(&second, function, nullptr) ==
        CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  CHECK(cuptiSubscribe_v2(&second, function, nullptr, &params) ==
        CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  CHECK(std::string(holder) == "CUPTI for gpustall");
  CHECK(cuptiGetLastError() == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  CHECK(cuptiGetLastError() == CUPTI_SUCCESS);
  REQUIRE(cuptiUnsubscribe(first) == CUPTI_SUCCESS);
  CHECK(cuptiUnsubscribe(first) == CUPTI_ERROR_INVALID_PARAMETER);
  CHECK(cuptiSubscribe(&second, function, nullptr) == CUPTI_SUCCESS);
}

TEST_CASE("the settings can refuse the subscription, or the whole library") {
  CUpti_SubscriberHandle handle = nullptr;
  const auto function = [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {};
  {
    Client client("subscribe=39");
    CHECK(cuptiSubscribe(&handle, function, nullptr) ==
          CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET) == CUPTI_SUCCESS);
  }
  Client client("subscribe=999");
  CHECK(cuptiSubscribe(&handle, function, nullptr) == CUPTI_ERROR_UNKNOWN);
  CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET) == CUPTI_ERROR_UNKNOWN);
  CHECK(cuptiActivityFlushAll(0) == CUPTI_ERROR_UNKNOWN);
}

TEST_CASE("contexts and streams are announced and have ids") {
  Client client;
  const auto handle = client.subscribe();
  cuptiEnableDomain(1, handle, CUPTI_CB_DOMAIN_RESOURCE);
  int context = 0, stream = 0;
  resource(ResourceEvent::ContextCreated, &context, 1, nullptr, 0);
  resource(ResourceEvent::StreamCreated, &context, 1, &stream, 13);
  REQUIRE(client.calls.size() >= 2);
  CHECK(client.calls[client.calls.size() - 2].cbid == CUPTI_CBID_RESOURCE_CONTEXT_CREATED);
  CHECK(client.calls.back().cbid == CUPTI_CBID_RESOURCE_STREAM_CREATED);
  uint32_t id = 0;
  CHECK(cuptiGetContextId(reinterpret_cast<CUcontext>(&context), &id) == CUPTI_SUCCESS);
  CHECK(id == 1);
  CHECK(cuptiGetStreamIdEx(nullptr, reinterpret_cast<CUstream>(&stream), 0, &id) == CUPTI_SUCCESS);
  CHECK(id == 13);
  CHECK(cuptiGetStreamId(nullptr, nullptr, &id) == CUPTI_SUCCESS);
  CHECK(id == 7);
  CHECK(cuptiGetStreamId(nullptr, reinterpret_cast<CUstream>(&id), &id) ==
        CUPTI_ERROR_INVALID_STREAM);
  resource(ResourceEvent::StreamDestroying, &context, 1, &stream, 13);
  resource(ResourceEvent::ContextDestroying, &context, 1, nullptr, 0);
  CHECK(client.calls.back().cbid == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
}

TEST_CASE("the synchronisation callback comes when the waiting call returns") {
  Client client;
  const auto handle = client.subscribe();
  cuptiEnableAllDomains(1, handle);
  {
    ApiScope scope(ApiDomain::Runtime, CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020,
                   "cudaStreamSynchronize");
    Activity wait = kernel(0, 10);
    wait.kind = ActivityKind::Sync;
    wait.sync_type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
    announce(wait);
    CHECK(client.calls.size() == 1);  // enter only
  }
  REQUIRE(client.calls.size() == 3);
  CHECK(client.calls[1].domain == CUPTI_CB_DOMAIN_SYNCHRONIZE);
  CHECK(client.calls[1].cbid == CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED);
}

TEST_CASE("callback names are those of the toolkit") {
  const char* name = nullptr;
  REQUIRE(cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, kLaunch, &name) == CUPTI_SUCCESS);
  CHECK(std::string(name) == "cudaLaunchKernel_v7000");
  REQUIRE(cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, kDriverLaunch, &name) == CUPTI_SUCCESS);
  CHECK(std::string(name) == "cuLaunchKernel");
  CHECK(cuptiGetCallbackName(CUPTI_CB_DOMAIN_RESOURCE, 1, &name) == CUPTI_ERROR_INVALID_PARAMETER);
  REQUIRE(cuptiGetResultString(CUPTI_ERROR_UNKNOWN, &name) == CUPTI_SUCCESS);
  CHECK(std::string(name) == "CUPTI_ERROR_UNKNOWN");
}

TEST_CASE("a forked child of a process that used CUPTI gets no callbacks and no CUPTI") {
  Client client;
  const auto handle = client.subscribe();
  cuptiEnableDomain(1, handle, CUPTI_CB_DOMAIN_RUNTIME_API);
  const pid_t child = fork();
  if (child == 0) {
    launch();
    const bool quiet = client.calls.empty();
    const bool refused = cuptiActivityFlushAll(0) == CUPTI_ERROR_NOT_INITIALIZED;
    _exit(quiet && refused ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}
