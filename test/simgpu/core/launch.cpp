// See launch.h. The host time of a launch is modelled: call_ns from the start of the driver call,
// on top of whatever a CUPTI subscriber spends in its callbacks.
#include "launch.h"

#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "driver_scope.h"
#include "host_clock.h"
#include "process.h"
#include "settings.h"
#include "status.h"
#include "timeline.h"

namespace simgpu {
namespace {

// CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING
constexpr uint32_t kLazyFunctionLoading = 5U << 16;

void load_code_once(Kernel& kernel, const Stream& stream, uint32_t correlation) {
  const uint32_t bit = 1U << stream.device->ordinal;
  if (kernel.loaded_devices.load(std::memory_order_relaxed) & bit) return;
  if (kernel.loaded_devices.fetch_or(bit) & bit) return;
  const int64_t from = now_ns();
  const int64_t cost = static_cast<int64_t>(settings().module_load_ns);
  if (cost == 0) return;
  wait_until(from + cost);
  announce_overhead(stream, kLazyFunctionLoading, from, now_ns(), correlation);
}

bool launch_blocking() {
  static const bool kBlocking = [] {
    const char* value = getenv("CUDA_LAUNCH_BLOCKING");
    return value && *value && strcmp(value, "0") != 0;
  }();
  return kBlocking;
}

Work work_of(const LaunchRequest& request) {
  Work work;
  const Kernel& kernel = *request.kernel;
  Activity& shape = work.shape;
  shape.kind = ActivityKind::Kernel;
  shape.name = kernel.name.load(std::memory_order_relaxed);
  memcpy(shape.grid, request.shape.grid, sizeof shape.grid);
  memcpy(shape.block, request.shape.block, sizeof shape.block);
  shape.dynamic_smem = request.shape.dynamic_smem;
  shape.registers = kernel.registers;
  work.duration_ns = request.duration_ns >= 0
                         ? request.duration_ns
                         : kernel_duration(kernel, request.shape, request.args);
  work.effect = result_of(kernel, request.args);
  return work;
}

int run(const LaunchRequest& request, DriverScope& scope) {
  const int64_t from = now_ns();
  Stream& stream = *request.stream;
  if (!capturing(stream)) load_code_once(*request.kernel, stream, scope.correlation());
  Work work = work_of(request);
  const Placed placed = submit(stream, work, scope.correlation());
  if (!placed.captured) {
    LockGuard guard(timeline_lock());
    stream.small_reads.saw(*request.kernel);
  }
  spin_until(from + static_cast<int64_t>(settings().call_ns));
  if (launch_blocking()) wait_until(placed.end_ns);
  return scope.done(placed.error);
}

int run_plain(const LaunchRequest& request, const char* symbol) {
  const Shape& s = request.shape;
  cuLaunchKernel_params params{};
  params.f = as_handle<CUfunction>(request.kernel);
  params.gridDimX = s.grid[0], params.gridDimY = s.grid[1], params.gridDimZ = s.grid[2];
  params.blockDimX = s.block[0], params.blockDimY = s.block[1], params.blockDimZ = s.block[2];
  params.sharedMemBytes = s.dynamic_smem;
  params.hStream = as_handle<CUstream>(request.stream_handle);
  params.kernelParams = request.args;
  // The parameters of the cooperative call are the same but for the last one.
  const DriverName name = request.call == LaunchCall::Cooperative
                              ? GPUSTALL_DRIVER(cuLaunchCooperativeKernel)
                              : GPUSTALL_DRIVER(cuLaunchKernel);
  DriverScope scope(name, &params, symbol);
  return run(request, scope);
}

int run_extended(const LaunchRequest& request, const char* symbol) {
  const Shape& s = request.shape;
  CUlaunchConfig config{};
  config.gridDimX = s.grid[0], config.gridDimY = s.grid[1], config.gridDimZ = s.grid[2];
  config.blockDimX = s.block[0], config.blockDimY = s.block[1], config.blockDimZ = s.block[2];
  config.sharedMemBytes = s.dynamic_smem;
  config.hStream = as_handle<CUstream>(request.stream_handle);
  cuLaunchKernelEx_params params{};
  params.config = request.config ? static_cast<const CUlaunchConfig*>(request.config) : &config;
  params.f = as_handle<CUfunction>(request.kernel);
  params.kernelParams = request.args;
  DriverScope scope(GPUSTALL_DRIVER(cuLaunchKernelEx), &params, symbol);
  return run(request, scope);
}

}  // namespace

int launch(const LaunchRequest& request) {
  study(*request.kernel);
  const char* symbol = request.kernel->name.load(std::memory_order_relaxed);
  return request.call == LaunchCall::KernelEx ? run_extended(request, symbol)
                                              : run_plain(request, symbol);
}

int launch_library_kernel(const char* name, Stream* stream, const void* stream_handle,
                          const Shape& shape, int64_t duration_ns) {
  if (const Status refused = ensure_started()) return refused;
  LaunchRequest request;
  request.kernel = named_kernel(name);
  request.shape = shape;
  request.stream = stream;
  request.stream_handle = stream_handle;
  request.duration_ns = duration_ns;
  return launch(request);
}

void load_library_once(std::atomic<bool>* loaded) {
  if (loaded->exchange(true)) return;
  wait_until(now_ns() + static_cast<int64_t>(settings().library_load_ns));
}

}  // namespace simgpu
