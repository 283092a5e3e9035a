// Events.
#include "entry.h"
#include "test/simgpu/core/device.h"
#include "test/simgpu/core/waiting.h"

using namespace simgpu;

namespace {

int create(cudaEvent_t* out, unsigned flags) {
  if (!out) return kInvalidValue;
  ready_device();
  *out = reinterpret_cast<cudaEvent_t>(create_event(flags));
  return kSuccess;
}

int record(cudaEvent_t event, cudaStream_t handle, bool per_thread) {
  Event* found = resolve_event(event);
  Stream* stream = resolve_stream(handle, per_thread);
  return found && stream ? record_event(*found, *stream, handle) : static_cast<int>(kInvalidHandle);
}

int wait(cudaStream_t handle, cudaEvent_t event, unsigned flags, bool per_thread) {
  Event* found = resolve_event(event);
  Stream* stream = resolve_stream(handle, per_thread);
  return found && stream ? stream_wait_event(*stream, handle, *found, flags)
                         : static_cast<int>(kInvalidHandle);
}

template <typename Body>
int on_event(cudaEvent_t event, Body body) {
  Event* found = resolve_event(event);
  return found ? static_cast<int>(body(*found)) : static_cast<int>(kInvalidHandle);
}

}  // namespace

extern "C" {

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  cudaEventCreate_v3020_params params{event};
  return runtime_call(GPUSTALL_RUNTIME(cudaEventCreate, v3020), &params,
                      [&] { return create(event, 0); });
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  cudaEventCreateWithFlags_v3020_params params{event, flags};
  return runtime_call(GPUSTALL_RUNTIME(cudaEventCreateWithFlags, v3020), &params,
                      [&] { return create(event, flags); });
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  cudaEventDestroy_v3020_params params{event};
  return runtime_call(GPUSTALL_RUNTIME(cudaEventDestroy, v3020), &params,
                      [&] { return on_event(event, [](Event& e) { return destroy_event(&e); }); });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  cudaEventRecord_v3020_params params{event, stream};
  return runtime_call(GPUSTALL_RUNTIME(cudaEventRecord, v3020), &params,
                      [&] { return record(event, stream, false); });
}
cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream) {
  cudaEventRecord_v3020_params params{event, stream};
  return runtime_call(GPUSTALL_RUNTIME(cudaEventRecord_ptsz, v7000), &params,
                      [&] { return record(event, stream, true); });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  cudaEventRecordWithFlags_v11010_params params{event, stream, flags};
  return runtime_call(GPUSTALL_RUNTIME(cudaEventRecordWithFlags, v11010), &params,
                      [&] { return record(event, stream, false); });
}
cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  cudaEventRecordWithFlags_v11010_params params{event, stream, flags};
  return runtime_call(GPUSTALL_RUNTIME(cudaEventRecordWithFlags_ptsz, v11010), &params,
                      [&] { return record(event, stream, true); });
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  cudaEventQuery_v3020_params params{event};
  return runtime_call(GPUSTALL_RUNTIME(cudaEventQuery, v3020), &params,
                      [&] { return on_event(event, query_event); });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  cudaEventSynchronize_v3020_params params{event};
  return runtime_call(GPUSTALL_RUNTIME(cudaEventSynchronize, v3020), &params,
                      [&] { return on_event(event, synchronize_event); });
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to) {
  return runtime_call(GPUSTALL_RUNTIME(cudaEventElapsedTime, v12080), nullptr, [&] {
    const Event* first = resolve_event(from);
    const Event* last = resolve_event(to);
    return first && last ? elapsed_ms(*first, *last, ms) : static_cast<int>(kInvalidHandle);
  });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  cudaStreamWaitEvent_v3020_params params{stream, event, flags};
  return runtime_call(GPUSTALL_RUNTIME(cudaStreamWaitEvent, v3020), &params,
                      [&] { return wait(stream, event, flags, false); });
}
cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  cudaStreamWaitEvent_v3020_params params{stream, event, flags};
  return runtime_call(GPUSTALL_RUNTIME(cudaStreamWaitEvent_ptsz, v7000), &params,
                      [&] { return wait(stream, event, flags, true); });
}

}  // extern "C"
