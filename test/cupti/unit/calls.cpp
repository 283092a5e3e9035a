// Callbacks of CUDA calls: one record each, with what its parameters say.
#include <cuda_runtime_api.h>
#include <cupti.h>

#include "libinterpose/cupti/call_table.h"
#include "libinterpose/cupti/session.h"
#include "libinterpose/settings.h"
#include "test/catch.h"
#include "test/cupti/unit/fake_cupti.h"
#include "test/cupti/unit/fake_recorder.h"

using namespace gpustall;
using namespace gpustall::test;
using trace::Call;

namespace {

constexpr auto kRuntime = CUPTI_CB_DOMAIN_RUNTIME_API;
constexpr auto kDriver = CUPTI_CB_DOMAIN_DRIVER_API;

void start() {
  reset_all();
  interpose::g_settings.stack_ns = 1000000000;
  interpose::HookGuard guard;
  interpose::cupti::start_session(guard);
}
void enter(CUpti_CallbackDomain domain, uint32_t cbid, uint32_t id, const void* params = nullptr) {
  fake_cupti().call(domain, cbid, CUPTI_API_ENTER, id, params);
}
void leave(CUpti_CallbackDomain domain, uint32_t cbid, uint32_t id, const void* params = nullptr,
           int result = 0) {
  fake_cupti().call(domain, cbid, CUPTI_API_EXIT, id, params, result);
}
cudaStream_t stream(uintptr_t handle) {
  return reinterpret_cast<cudaStream_t>(handle);
}

}  // namespace

TEST_CASE("a launch carries its correlation, stream and stack") {
  start();
  cudaLaunchKernel_v7000_params params{};
  params.stream = stream(0x42);
  enter(kRuntime, 211, 5, &params);
  leave(kRuntime, 211, 5, &params);
  const auto calls = recorded<trace::Api>();
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].call == static_cast<uint64_t>(Call::LaunchKernel));
  CHECK(calls[0].correlation == 5);
  CHECK(calls[0].stream == 13);
  CHECK(calls[0].stack == 7);
  CHECK(calls[0].native_stack == 0);
  CHECK(calls[0].start != 0);
}

TEST_CASE("the driver's share of a runtime call is not recorded twice") {
  start();
  cudaMemcpyAsync_v3020_params params{};
  params.count = 4096;
  params.kind = cudaMemcpyHostToDevice;
  enter(kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020, 8, &params);
  enter(kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, 8);
  leave(kDriver, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, 8);
  enter(kDriver, CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, 8);
  leave(kDriver, CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, 8);
  leave(kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020, 8, &params, 700);
  const auto calls = recorded<trace::Api>();
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].call == static_cast<uint64_t>(Call::MemcpyAsync));
  CHECK(calls[0].bytes == 4096);
  CHECK(calls[0].copy_kind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD);
  CHECK(calls[0].stream == 7);
  CHECK(calls[0].result == 700);
}

TEST_CASE("a launch of a library comes as a driver call and is recorded") {
  start();
  cuLaunchKernelEx_params params{};
  CUlaunchConfig config{};
  config.hStream = reinterpret_cast<CUstream>(0x42);
  params.config = &config;
  enter(kDriver, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, 11, &params);
  leave(kDriver, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, 11, &params);
  const auto calls = recorded<trace::Api>();
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].call == static_cast<uint64_t>(Call::DriverLaunchKernelEx));
  CHECK(calls[0].stream == 13);
}

TEST_CASE("a module loaded by a launch is recorded, without the launch's correlation") {
  start();
  cudaLaunchKernel_v7000_params params{};
  enter(kRuntime, 211, 5, &params);
  enter(kDriver, CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData, 5);
  leave(kDriver, CUPTI_DRIVER_TRACE_CBID_cuLibraryLoadData, 5);
  leave(kRuntime, 211, 5, &params);
  const auto calls = recorded<trace::Api>();
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].call == static_cast<uint64_t>(Call::LibraryLoad));
  CHECK(calls[0].correlation == 0);
  CHECK(calls[1].correlation == 5);
}

TEST_CASE("events keep their handle, polls have no stack") {
  start();
  cudaEventRecord_v3020_params record{};
  record.event = reinterpret_cast<cudaEvent_t>(0xabc0);
  enter(kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaEventRecord_v3020, 1, &record);
  leave(kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaEventRecord_v3020, 1, &record);
  const auto calls = recorded<trace::Api>();
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].object == 0xabc0);
  CHECK(calls[0].stack == 0);
}

TEST_CASE("an exit without its enter, and what is open when we stand aside, leave no record") {
  start();
  leave(kRuntime, 211, 3);
  enter(kDriver, CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, 4);
  {
    interpose::cupti::SessionLock lock;
    interpose::cupti::yield_session("test");
    interpose::HookGuard guard;
    interpose::cupti::resume_session(guard);
  }
  enter(kDriver, CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, 6);
  leave(kDriver, CUPTI_DRIVER_TRACE_CBID_cuStreamSynchronize, 6);
  const auto calls = recorded<trace::Api>();
  REQUIRE(calls.size() == 1);
  CHECK(calls[0].correlation == 6);
}

TEST_CASE("a long call has a native stack") {
  start();
  interpose::g_settings.stack_ns = 0;
  reset_all();
  {
    interpose::HookGuard guard;
    interpose::cupti::start_session(guard);
  }
  enter(kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020, 2);
  leave(kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020, 2);
  CHECK(recorded<trace::Api>().at(0).native_stack == 9);
}

TEST_CASE("a stream's id is asked for once, until the stream dies") {
  start();
  cudaStreamSynchronize_v3020_params params{stream(0x7770)};
  const int before = fake_cupti().stream_queries;
  for (uint32_t id = 1; id <= 3; ++id) {
    enter(kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020, id, &params);
    leave(kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020, id, &params);
  }
  CHECK(fake_cupti().stream_queries == before + 1);
  CUpti_ResourceData gone{};
  gone.context = reinterpret_cast<CUcontext>(0x1000);
  gone.resourceHandle.stream = stream(0x7770);
  fake_cupti().callback(nullptr, CUPTI_CB_DOMAIN_RESOURCE,
                        CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING, &gone);
  enter(kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020, 9, &params);
  leave(kRuntime, CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020, 9, &params);
  CHECK(fake_cupti().stream_queries == before + 2);
}
