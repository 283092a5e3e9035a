// Streams: creation, waiting, host functions.
#include "entry.h"
#include "test/simgpu/core/capture.h"
#include "test/simgpu/core/device.h"
#include "test/simgpu/core/timeline.h"
#include "test/simgpu/core/waiting.h"

using namespace simgpu;

namespace {

constexpr int64_t kHostCallNs = 5000;  // what a host function takes on the modelled timeline

// Finds the stream of a handle and runs the body on it.
template <typename Body>
int on_stream(cudaStream_t handle, bool per_thread, Body body) {
  Stream* stream = resolve_stream(handle, per_thread);
  return stream ? static_cast<int>(body(*stream)) : static_cast<int>(kInvalidHandle);
}

int create(cudaStream_t* out, unsigned flags, int priority) {
  if (!out) return kInvalidValue;
  *out = reinterpret_cast<cudaStream_t>(create_stream(ready_device(), flags, priority));
  return kSuccess;
}

int host_call(Stream& stream, void (*call)(void*), void* user) {
  Work work;
  work.duration_ns = kHostCallNs;
  work.engine = Engine::None;
  work.effect.kind = Effect::Kind::HostCall;
  work.effect.call = call;
  work.effect.user = user;
  return submit(stream, work, 0).error;
}

struct StreamCallback {
  cudaStreamCallback_t callback;
  cudaStream_t stream;
  void* user;
};

void run_callback(void* argument) {
  StreamCallback* callback = static_cast<StreamCallback*>(argument);
  callback->callback(callback->stream, cudaSuccess, callback->user);
  delete callback;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  cudaStreamCreate_v3020_params params{stream};
  return runtime_call(GPUSTALL_RUNTIME(cudaStreamCreate, v3020), &params,
                      [&] { return create(stream, 0, 0); });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  cudaStreamCreateWithFlags_v5000_params params{stream, flags};
  return runtime_call(GPUSTALL_RUNTIME(cudaStreamCreateWithFlags, v5000), &params,
                      [&] { return create(stream, flags, 0); });
}
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  cudaStreamCreateWithPriority_v5050_params params{stream, flags, priority};
  return runtime_call(GPUSTALL_RUNTIME(cudaStreamCreateWithPriority, v5050), &params,
                      [&] { return create(stream, flags, priority); });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  cudaStreamDestroy_v5050_params params{stream};
  return runtime_call(GPUSTALL_RUNTIME(cudaStreamDestroy, v5050), &params, [&] {
    return on_stream(stream, false, [](Stream& s) { return destroy_stream(&s); });
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  cudaStreamSynchronize_v3020_params params{stream};
  return runtime_call(GPUSTALL_RUNTIME(cudaStreamSynchronize, v3020), &params, [&] {
    return on_stream(stream, false, [&](Stream& s) { return synchronize_stream(s, stream); });
  });
}
cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream) {
  cudaStreamSynchronize_v3020_params params{stream};
  return runtime_call(GPUSTALL_RUNTIME(cudaStreamSynchronize_ptsz, v7000), &params, [&] {
    return on_stream(stream, true, [&](Stream& s) { return synchronize_stream(s, stream); });
  });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  cudaStreamQuery_v3020_params params{stream};
  return runtime_call(GPUSTALL_RUNTIME(cudaStreamQuery, v3020), &params,
                      [&] { return on_stream(stream, false, query_stream); });
}
cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream) {
  cudaStreamQuery_v3020_params params{stream};
  return runtime_call(GPUSTALL_RUNTIME(cudaStreamQuery_ptsz, v7000), &params,
                      [&] { return on_stream(stream, true, query_stream); });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return runtime_call(GPUSTALL_RUNTIME(cudaStreamGetPriority, v5050), nullptr, [&] {
    return on_stream(stream, false, [&](Stream& s) { return *priority = s.priority, kSuccess; });
  });
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return runtime_call(GPUSTALL_RUNTIME(cudaStreamGetFlags, v5050), nullptr, [&] {
    return on_stream(stream, false, [&](Stream& s) { return *flags = s.flags, kSuccess; });
  });
}
cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return runtime_call(GPUSTALL_RUNTIME(cudaStreamGetId, v12000), nullptr, [&] {
    return on_stream(stream, false, [&](Stream& s) { return *id = s.id, kSuccess; });
  });
}
cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return runtime_call(GPUSTALL_RUNTIME(cudaStreamGetDevice, v12080), nullptr, [&] {
    return on_stream(stream, false, [&](Stream& s) {
      return *device = static_cast<int>(s.device->ordinal), kSuccess;
    });
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* user) {
  cudaLaunchHostFunc_v10000_params params{stream, function, user};
  return runtime_call(GPUSTALL_RUNTIME(cudaLaunchHostFunc, v10000), &params, [&] {
    return on_stream(stream, false, [&](Stream& s) { return host_call(s, function, user); });
  });
}
cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t function, void* user) {
  cudaLaunchHostFunc_v10000_params params{stream, function, user};
  return runtime_call(GPUSTALL_RUNTIME(cudaLaunchHostFunc_ptsz, v10000), &params, [&] {
    return on_stream(stream, true, [&](Stream& s) { return host_call(s, function, user); });
  });
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* user,
                                  unsigned flags) {
  cudaStreamAddCallback_v5000_params params{stream, callback, user, flags};
  return runtime_call(GPUSTALL_RUNTIME(cudaStreamAddCallback, v5000), &params, [&] {
    return on_stream(stream, false, [&](Stream& s) {
      return host_call(s, run_callback, new StreamCallback{callback, stream, user});
    });
  });
}

}  // extern "C"
