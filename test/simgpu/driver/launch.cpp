// Launches through the driver (Triton and whoever has dlsym'ed them).
#include "test/simgpu/core/launch.h"
#include "entry.h"
#include "test/simgpu/core/device.h"

using namespace simgpu;

namespace {

struct Target {
  LaunchCall call;
  bool per_thread;
  const CUlaunchConfig* config;
};

CUresult start(CUfunction function, const Shape& shape, CUstream handle, void** args,
               Target target) {
  return core_call([&] {
    LaunchRequest request;
    request.kernel = reinterpret_cast<Kernel*>(function);
    request.shape = shape;
    request.stream = resolve_stream(handle, target.per_thread);
    request.stream_handle = handle;
    request.args = args;
    request.call = target.call;
    request.config = target.config;
    if (!request.kernel || !request.stream) return static_cast<int>(kInvalidHandle);
    return launch(request);
  });
}

CUresult start_extended(const CUlaunchConfig* c, CUfunction function, void** args,
                        bool per_thread) {
  if (!c) return CUDA_ERROR_INVALID_VALUE;
  const Shape shape{{c->gridDimX, c->gridDimY, c->gridDimZ},
                    {c->blockDimX, c->blockDimY, c->blockDimZ},
                    c->sharedMemBytes};
  return start(function, shape, c->hStream, args, {LaunchCall::KernelEx, per_thread, c});
}

}  // namespace

extern "C" {

CUresult cuLaunchKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                        unsigned by, unsigned bz, unsigned smem, CUstream stream, void** args,
                        void**) {
  return start(f, {{gx, gy, gz}, {bx, by, bz}, smem}, stream, args,
               {LaunchCall::Kernel, false, nullptr});
}
CUresult cuLaunchKernel_ptsz(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                             unsigned by, unsigned bz, unsigned smem, CUstream stream, void** args,
                             void**) {
  return start(f, {{gx, gy, gz}, {bx, by, bz}, smem}, stream, args,
               {LaunchCall::Kernel, true, nullptr});
}
CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                   unsigned by, unsigned bz, unsigned smem, CUstream stream,
                                   void** args) {
  return start(f, {{gx, gy, gz}, {bx, by, bz}, smem}, stream, args,
               {LaunchCall::Cooperative, false, nullptr});
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction f, void** args, void**) {
  return start_extended(config, f, args, false);
}
CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig* config, CUfunction f, void** args, void**) {
  return start_extended(config, f, args, true);
}

}  // extern "C"
