// The wrappers of the CUDA runtime in hooks.def. They notice the first CUDA call, and record API
// calls where CUPTI does not (refused, yielded, missing). They see only calls made through the PLT:
// the program's and torch's own, not those of cuBLAS, cuDNN or NCCL.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "libinterpose/cuda_originals.h"
#include "libinterpose/recorder.h"
#include "libinterpose/seams.h"
#include "libinterpose/trace/names.h"
#include "libinterpose/window.h"

#define GPUSTALL_EXPORTED(symbol) __asm__(#symbol) __attribute__((visibility("default"), used))

namespace gpustall::interpose {

namespace {

struct Dim3 {
  unsigned x, y, z;
};
struct LaunchConfig {  // cudaLaunchConfig_t, the same since CUDA 11.8
  Dim3 grid, block;
  size_t shared;
  void* stream;
};
static_assert(offsetof(LaunchConfig, stream) == 32);

struct CallDetails {
  uint64_t stream, bytes, object, copy_kind;
};
template <class T>
uint64_t word(T v) noexcept {
  if constexpr (std::is_null_pointer_v<T>)
    return 0;
  else if constexpr (std::is_pointer_v<T>)
    return reinterpret_cast<uint64_t>(v);
  else
    return static_cast<uint64_t>(v);
}

// The start of a call that is ours to record, 0 for one that is not.
int64_t begin_call() noexcept {
  static std::atomic<bool> noticed{false};
  if (!noticed.load(std::memory_order_relaxed)) [[unlikely]] {
    noticed.store(true, std::memory_order_relaxed);
    const int kept = errno;
    start_recording(StartReason::CudaCall);
    errno = kept;
  }
  return is_recording() && !cupti::active() ? now_ticks() : 0;
}

void record_call(int64_t start, trace::Call call, int result, const CallDetails& d) noexcept {
  const int64_t end = now_ticks();
  HookGuard guard;
  if (!guard.recording()) return;
  trace::Api record{};
  record.call = static_cast<uint64_t>(call);
  record.start = start;
  record.duration = static_cast<uint64_t>(end - start);
  record.stack = stacks::python_stack(guard);
  record.stream = d.stream;
  record.bytes = d.bytes;
  record.object = d.object;
  record.copy_kind = d.copy_kind;
  record.result = static_cast<uint64_t>(result);
  emit(guard, record);
  ThreadState& t = guard.thread();
  t.own_ticks += now_ticks() - end;
  ++t.own_calls;
}

void after_call(trace::Call call, int result) noexcept {
  if (call == trace::Call::ProfilerStart && result == 0) profiler_range(true);
}
void before_call(trace::Call call) noexcept {
  if (call == trace::Call::ProfilerStop) profiler_range(false);
}

}  // namespace

extern "C" {

#define GPUSTALL_CUDA_HOOK(symbol, call, parameters, arguments, stream_, bytes_, object_, kind_) \
  int hook_##symbol parameters GPUSTALL_EXPORTED(symbol);                                        \
  int hook_##symbol parameters {                                                                 \
    static CudaOriginal original;                                                                \
    using Function = int(*) parameters;                                                          \
    auto real = reinterpret_cast<Function>(original.get(#symbol, __builtin_return_address(0)));  \
    if (real == nullptr) return kCudaSymbolNotFound; /* nothing to record, nothing starts */     \
    const int64_t start = begin_call();                                                          \
    before_call(trace::Call::call);                                                              \
    const int result = real arguments;                                                           \
    if (start != 0)                                                                              \
      record_call(start, trace::Call::call, result,                                              \
                  {word(stream_), word(bytes_), word(object_), word(kind_)});                    \
    after_call(trace::Call::call, result);                                                       \
    return result;                                                                               \
  }
#include "libinterpose/hooks.def"

}  // extern "C"

}  // namespace gpustall::interpose
