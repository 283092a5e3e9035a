// A CUDA program that is linked to nothing: it opens the simulated runtime, driver and CUPTI by
// path and works on two streams with copies, fills, kernels and events. What a recorder finds out
// about it comes through CUDA_INJECTION64_PATH alone.
//   device_program SIMGPU_DIR CUPTI [rounds] [then-exit|then-kill|then-fork]
#include <dlfcn.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

struct Dim3 {
  unsigned x, y, z;
};
using Stream = void*;
using Event = void*;

void* g_cuda = nullptr;

void* open_or_die(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    fprintf(stderr, "device_program: %s\n", dlerror());
    exit(2);
  }
  return library;
}

template <class... Arguments>
void call(const char* name, Arguments... arguments) {
  auto* function = reinterpret_cast<int (*)(Arguments...)>(dlsym(g_cuda, name));
  const int error = function == nullptr ? -1 : function(arguments...);
  if (error != 0) {
    fprintf(stderr, "device_program: %s answers %d\n", name, error);
    exit(2);
  }
}

char g_kernel;  // its address is the kernel's handle, as with a launch stub

void register_kernel() {
  static const int image[4] = {};
  auto* add = reinterpret_cast<void** (*)(const void*)>(dlsym(g_cuda, "__cudaRegisterFatBinary"));
  auto* name =
      reinterpret_cast<void (*)(void**, const char*, char*, const char*, int, void*, void*, void*,
                                void*, int*)>(dlsym(g_cuda, "__cudaRegisterFunction"));
  if (add == nullptr || name == nullptr) exit(2);
  name(add(image), &g_kernel, nullptr, "_Z10the_kernelPf", -1, nullptr, nullptr, nullptr, nullptr,
       nullptr);
}

void work(int rounds) {
  constexpr size_t kBytes = 1 << 20;
  void *device = nullptr, *host = calloc(1, kBytes);
  Stream streams[2] = {nullptr, nullptr};
  Event event = nullptr;
  call("cudaMalloc", &device, kBytes);
  call("cudaStreamCreate", &streams[1]);
  call("cudaEventCreate", &event);
  void* arguments[] = {&device};
  for (int i = 0; i < rounds; ++i) {
    Stream stream = streams[i % 2];
    call("cudaMemcpyAsync", device, static_cast<const void*>(host), kBytes, 1, stream);
    call("cudaLaunchKernel", static_cast<const void*>(&g_kernel), Dim3{8, 2, 1}, Dim3{128, 1, 1},
         static_cast<void**>(arguments), size_t{0}, stream);
    call("cudaMemsetAsync", device, 0, kBytes / 2, stream);
    call("cudaEventRecord", event, stream);
    call("cudaStreamWaitEvent", streams[(i + 1) % 2], event, 0u);
    if (i % 8 == 7) call("cudaStreamSynchronize", stream);
  }
  call("cudaMemcpy", host, static_cast<const void*>(device), size_t{64}, 2);
  call("cudaDeviceSynchronize");
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) return 2;
  const std::string folder = words[1];
  const int rounds = count > 3 ? atoi(words[3]) : 100;
  const char* end = count > 4 ? words[4] : "then-exit";
  open_or_die(folder + "/libgpustall_simcore.so");
  if (strcmp(words[2], "none") != 0) open_or_die(words[2]);
  open_or_die(folder + "/libcuda.so.1");
  g_cuda = open_or_die(folder + "/libcudart.so.13");
  register_kernel();
  work(rounds);
  if (strcmp(end, "then-fork") == 0 && fork() == 0) _exit(0);
  while (wait(nullptr) > 0) continue;
  if (strcmp(end, "then-kill") == 0) {
    usleep(1200000);  // longer than the recorder's flush interval
    raise(SIGKILL);
  }
  return 0;
}
