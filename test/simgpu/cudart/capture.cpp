// Stream capture.
#include "test/simgpu/core/capture.h"

#include "entry.h"

using namespace simgpu;

namespace {

thread_local cudaStreamCaptureMode t_mode = cudaStreamCaptureModeGlobal;

// The status of the stream's capture; the graph and the last nodes while it is active.
int capture_info(cudaStream_t handle, bool per_thread, cudaStreamCaptureStatus* status,
                 unsigned long long* id, cudaGraph_t* graph, const cudaGraphNode_t** last,
                 size_t* count) {
  Stream* stream = resolve_stream(handle, per_thread);
  if (!stream) return kInvalidHandle;
  LockGuard guard(timeline_lock());
  const Capture* capture = stream->capture;
  *status = !capture           ? cudaStreamCaptureStatusNone
            : capture->invalid ? cudaStreamCaptureStatusInvalidated
                               : cudaStreamCaptureStatusActive;
  if (*status != cudaStreamCaptureStatusActive) return kSuccess;
  if (id) *id = capture->id;
  if (graph) *graph = reinterpret_cast<cudaGraph_t>(capture->graph.get());
  if (last) *last = reinterpret_cast<const cudaGraphNode_t*>(stream->capture_tail.data());
  if (count) *count = stream->capture_tail.size();
  return kSuccess;
}

int begin(cudaStream_t handle, cudaStreamCaptureMode mode, bool per_thread) {
  Stream* stream = resolve_stream(handle, per_thread);
  return stream ? begin_capture(*stream, mode) : static_cast<int>(kInvalidHandle);
}

int end(cudaStream_t handle, cudaGraph_t* graph, bool per_thread) {
  Stream* stream = resolve_stream(handle, per_thread);
  return stream ? end_capture(*stream, reinterpret_cast<Graph**>(graph))
                : static_cast<int>(kInvalidHandle);
}

int update(cudaStream_t handle, cudaGraphNode_t* nodes, size_t count, unsigned flags) {
  Stream* stream = resolve_stream(handle);
  if (!stream) return kInvalidHandle;
  LockGuard guard(timeline_lock());
  if (!stream->capture) return kInvalidValue;
  if (flags & cudaStreamSetCaptureDependencies) stream->capture_tail.clear();
  for (size_t i = 0; i < count; ++i)
    stream->capture_tail.push_back(reinterpret_cast<GraphNode*>(nodes[i]));
  return kSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  cudaStreamBeginCapture_v10000_params params{stream, mode};
  return runtime_call(GPUSTALL_RUNTIME(cudaStreamBeginCapture, v10000), &params,
                      [&] { return begin(stream, mode, false); });
}
cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t stream, cudaStreamCaptureMode mode) {
  cudaStreamBeginCapture_v10000_params params{stream, mode};
  return runtime_call(GPUSTALL_RUNTIME(cudaStreamBeginCapture_ptsz, v10000), &params,
                      [&] { return begin(stream, mode, true); });
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  cudaStreamEndCapture_v10000_params params{stream, graph};
  return runtime_call(GPUSTALL_RUNTIME(cudaStreamEndCapture, v10000), &params,
                      [&] { return end(stream, graph, false); });
}
cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t stream, cudaGraph_t* graph) {
  cudaStreamEndCapture_v10000_params params{stream, graph};
  return runtime_call(GPUSTALL_RUNTIME(cudaStreamEndCapture_ptsz, v10000), &params,
                      [&] { return end(stream, graph, true); });
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return runtime_call(GPUSTALL_RUNTIME(cudaStreamIsCapturing, v10000), nullptr, [&] {
    return capture_info(stream, false, status, nullptr, nullptr, nullptr, nullptr);
  });
}
cudaError_t cudaStreamIsCapturing_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return runtime_call(GPUSTALL_RUNTIME(cudaStreamIsCapturing_ptsz, v10000), nullptr, [&] {
    return capture_info(stream, true, status, nullptr, nullptr, nullptr, nullptr);
  });
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** last, const cudaGraphEdgeData** edges,
                                     size_t* count) {
  return runtime_call(GPUSTALL_RUNTIME(cudaStreamGetCaptureInfo, v12030), nullptr, [&] {
    if (edges) *edges = nullptr;
    return capture_info(stream, false, status, id, graph, last, count);
  });
}
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* nodes,
                                                const cudaGraphEdgeData*, size_t count,
                                                unsigned flags) {
  return runtime_call(GPUSTALL_RUNTIME(cudaStreamUpdateCaptureDependencies, v12030), nullptr,
                      [&] { return update(stream, nodes, count, flags); });
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return runtime_call(GPUSTALL_RUNTIME(cudaThreadExchangeStreamCaptureMode, v10010), nullptr, [&] {
    const cudaStreamCaptureMode before = t_mode;
    t_mode = *mode;
    *mode = before;
    return kSuccess;
  });
}

}  // extern "C"
