// Kernel launches. __cudaLaunchKernel is what nvcc 13's stubs call; the real one is a jump to
// cudaLaunchKernel and shows up under that callback id (211).
#include "test/simgpu/core/launch.h"
#include "entry.h"
#include "test/simgpu/core/device.h"

using namespace simgpu;

namespace {

constexpr int kInvalidConfiguration = 9, kInvalidDeviceFunction = 98;

bool empty(dim3 d) {
  return d.x == 0 || d.y == 0 || d.z == 0;
}

struct Runtime {
  RuntimeName name;
  LaunchCall call;
  bool per_thread;
};

int start(const Runtime& how, Kernel* kernel, dim3 grid, dim3 block, void** args, size_t smem,
          cudaStream_t stream) {
  if (!kernel) return kInvalidDeviceFunction;
  if (empty(grid) || empty(block) || block.x * block.y * block.z > 1024)
    return kInvalidConfiguration;
  LaunchRequest request;
  request.kernel = kernel;
  request.shape = {
      {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, static_cast<uint32_t>(smem)};
  request.stream = resolve_stream(stream, how.per_thread);
  request.stream_handle = stream;
  request.args = args;
  request.call = how.call;
  return request.stream ? launch(request) : static_cast<int>(kInvalidHandle);
}

cudaError_t launch_kernel(const Runtime& how, const void* func, Kernel* kernel, dim3 grid,
                          dim3 block, void** args, size_t smem, cudaStream_t stream) {
  cudaLaunchKernel_v7000_params params{func, grid, block, args, smem, stream};
  const char* symbol = kernel ? kernel->name.load(std::memory_order_relaxed) : nullptr;
  return runtime_call(
      how.name, &params, [&] { return start(how, kernel, grid, block, args, smem, stream); },
      symbol);
}

cudaError_t launch_extended(const Runtime& how, const cudaLaunchConfig_t* config, const void* func,
                            void** args) {
  cudaLaunchKernelExC_v11060_params params{config, func, args};
  Kernel* kernel = find_kernel(func);
  const char* symbol = kernel ? kernel->name.load(std::memory_order_relaxed) : nullptr;
  return runtime_call(
      how.name, &params,
      [&] {
        if (!config) return static_cast<int>(kInvalidValue);
        return start(how, kernel, config->gridDim, config->blockDim, args, config->dynamicSmemBytes,
                     config->stream);
      },
      symbol);
}

const Runtime kPlain{GPUSTALL_RUNTIME(cudaLaunchKernel, v7000), LaunchCall::Kernel, false};
const Runtime kPlainPerThread{GPUSTALL_RUNTIME(cudaLaunchKernel_ptsz, v7000), LaunchCall::Kernel,
                              true};
const Runtime kCooperative{GPUSTALL_RUNTIME(cudaLaunchCooperativeKernel, v9000),
                           LaunchCall::Cooperative, false};
const Runtime kCooperativePerThread{GPUSTALL_RUNTIME(cudaLaunchCooperativeKernel_ptsz, v9000),
                                    LaunchCall::Cooperative, true};
const Runtime kExtended{GPUSTALL_RUNTIME(cudaLaunchKernelExC, v11060), LaunchCall::KernelEx, false};
const Runtime kExtendedPerThread{GPUSTALL_RUNTIME(cudaLaunchKernelExC_ptsz, v11060),
                                 LaunchCall::KernelEx, true};

}  // namespace

extern "C" {

cudaError_t cudaLaunchKernel(const void* func, dim3 grid, dim3 block, void** args, size_t smem,
                             cudaStream_t stream) {
  return launch_kernel(kPlain, func, find_kernel(func), grid, block, args, smem, stream);
}
cudaError_t cudaLaunchKernel_ptsz(const void* func, dim3 grid, dim3 block, void** args, size_t smem,
                                  cudaStream_t stream) {
  return launch_kernel(kPlainPerThread, func, find_kernel(func), grid, block, args, smem, stream);
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** args, size_t smem,
                               cudaStream_t stream) {
  return launch_kernel(kPlain, kernel, reinterpret_cast<Kernel*>(kernel), grid, block, args, smem,
                       stream);
}
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** args,
                                    size_t smem, cudaStream_t stream) {
  return launch_kernel(kPlainPerThread, kernel, reinterpret_cast<Kernel*>(kernel), grid, block,
                       args, smem, stream);
}
cudaError_t cudaLaunchCooperativeKernel(const void* func, dim3 grid, dim3 block, void** args,
                                        size_t smem, cudaStream_t stream) {
  return launch_kernel(kCooperative, func, find_kernel(func), grid, block, args, smem, stream);
}
cudaError_t cudaLaunchCooperativeKernel_ptsz(const void* func, dim3 grid, dim3 block, void** args,
                                             size_t smem, cudaStream_t stream) {
  return launch_kernel(kCooperativePerThread, func, find_kernel(func), grid, block, args, smem,
                       stream);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* func, void** args) {
  return launch_extended(kExtended, config, func, args);
}
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t* config, const void* func,
                                     void** args) {
  return launch_extended(kExtendedPerThread, config, func, args);
}

}  // extern "C"
