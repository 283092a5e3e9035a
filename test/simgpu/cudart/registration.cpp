// What nvcc's host code calls before main: fat binaries, kernels, device variables. And the launch
// configuration between <<<>>> and the stub. No device is needed here, and none is started.
#include <string.h>

#include <map>
#include <vector>

#include "entry.h"
#include "registration.h"
#include "test/simgpu/core/futex_lock.h"
#include "test/simgpu/core/kernel_table.h"

namespace simgpu {
namespace {

struct Variable {
  size_t bytes;
  void* memory;  // allocated at the first use
};

struct Variables {
  FutexLock lock;
  std::map<const void*, Variable> by_host;
};

Variables& variables() {
  static Variables* const kVariables = new Variables;  // never freed: used by static destructors
  return *kVariables;
}

struct Configuration {
  dim3 grid, block;
  size_t smem;
  cudaStream_t stream;
};
thread_local std::vector<Configuration> t_configurations;

}  // namespace

void* variable_memory(const void* host, size_t* bytes) {
  Variables& all = variables();
  LockGuard guard(all.lock);
  const auto found = all.by_host.find(host);
  if (found == all.by_host.end()) return nullptr;
  if (!found->second.memory) found->second.memory = calloc(1, found->second.bytes + 1);
  *bytes = found->second.bytes;
  return found->second.memory;
}

}  // namespace simgpu

using namespace simgpu;

extern "C" {

void** __cudaRegisterFatBinary(void* binary) {
  static void* kept[1];
  kept[0] = binary;  // the handle is never looked into: one is as good as another
  return kept;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) {
  return 1;
}

void __cudaRegisterFunction(void**, const char* host_stub, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  register_kernel(host_stub, name);
}

void __cudaRegisterVar(void**, char* host, char*, const char*, int, size_t bytes, int, int) {
  Variables& all = variables();
  LockGuard guard(all.lock);
  all.by_host[host] = {bytes, nullptr};
}
void __cudaRegisterManagedVar(void**, void** host, char*, const char*, int, size_t bytes, int,
                              int) {
  *host = calloc(1, bytes);
}
void __cudaRegisterHostVar(void**, const char*, char*, size_t) {}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t smem, cudaStream_t stream) {
  t_configurations.push_back({grid, block, smem, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* smem, void* stream) {
  if (t_configurations.empty()) return cudaErrorMissingConfiguration;
  const Configuration top = t_configurations.back();
  t_configurations.pop_back();
  *grid = top.grid;
  *block = top.block;
  *smem = top.smem;
  memcpy(stream, &top.stream, sizeof top.stream);
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_stub) {
  *kernel = reinterpret_cast<cudaKernel_t>(find_kernel(host_stub));
  return *kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction;
}

}  // extern "C"
