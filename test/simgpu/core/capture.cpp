// Recording. A stream that waits for an event of a capture joins it; its nodes then hang on the
// event's nodes.
#include "capture.h"

#include <algorithm>

#include "status.h"

namespace simgpu {
namespace {

std::atomic<uint32_t> g_next_graph{1};
std::atomic<unsigned long long> g_next_capture{1};

void join(Capture& capture, Stream& stream) {
  stream.capture = &capture;
  capture.joined.push_back(&stream);
}

void add_missing(std::vector<GraphNode*>& to, const std::vector<GraphNode*>& from) {
  for (GraphNode* node : from)
    if (std::find(to.begin(), to.end(), node) == to.end()) to.push_back(node);
}

// Every joined stream must have come back to the origin: its last nodes are needed by something
// there.
bool all_joined(const Capture& capture) {
  std::vector<const GraphNode*> reached(capture.origin->capture_tail.begin(),
                                        capture.origin->capture_tail.end());
  std::vector<bool> seen(capture.graph->nodes.size());
  while (!reached.empty()) {
    const GraphNode* node = reached.back();
    reached.pop_back();
    if (seen[node->index]) continue;
    seen[node->index] = true;
    reached.insert(reached.end(), node->needs.begin(), node->needs.end());
  }
  for (const Stream* stream : capture.joined)
    for (const GraphNode* node : stream->capture_tail)
      if (!seen[node->index]) return false;
  return true;
}

}  // namespace

bool capturing(const Stream& stream) {
  return __atomic_load_n(&stream.capture, __ATOMIC_ACQUIRE) != nullptr;
}

int begin_capture(Stream& stream, int mode) {
  if (stream.legacy) return kCaptureUnsupported;
  LockGuard guard(timeline_lock());
  if (stream.capture) return kInvalidValue;
  Capture* capture = new Capture;
  capture->graph = std::make_unique<Graph>();
  capture->graph->id = g_next_graph.fetch_add(1);
  capture->id = g_next_capture.fetch_add(1);
  capture->origin = &stream;
  capture->mode = mode;
  stream.capture_tail.clear();
  join(*capture, stream);
  return kSuccess;
}

int end_capture(Stream& stream, Graph** graph) {
  LockGuard guard(timeline_lock());
  Capture* capture = stream.capture;
  *graph = nullptr;
  if (!capture) return kInvalidValue;
  if (capture->origin != &stream) return kCaptureUnmatched;
  const int status = capture->invalid       ? kCaptureInvalidated
                     : all_joined(*capture) ? kSuccess
                                            : kCaptureUnjoined;
  for (Stream* joined : capture->joined) {
    __atomic_store_n(&joined->capture, nullptr, __ATOMIC_RELEASE);
    joined->capture_tail.clear();
  }
  if (status == kSuccess) *graph = capture->graph.release();
  // The Capture itself stays: events that were recorded in it still point to it.
  return status;
}

void invalidate_capture(Stream& stream) {
  LockGuard guard(timeline_lock());
  if (stream.capture) stream.capture->invalid = true;
}

int record_node(Stream& stream, const Work& work) {
  LockGuard guard(timeline_lock());
  Capture* capture = stream.capture;
  if (!capture || capture->invalid) return kCaptureInvalidated;
  auto node = std::make_unique<GraphNode>();
  node->work = work;
  node->needs = stream.capture_tail;
  node->graph = capture->graph.get();
  node->index = capture->graph->nodes.size();
  stream.capture_tail.assign(1, node.get());
  capture->graph->nodes.push_back(std::move(node));
  return kSuccess;
}

void record_event_in_capture(Stream& stream, Event& event) {
  LockGuard guard(timeline_lock());
  event.capture = stream.capture;
  event.nodes = stream.capture_tail;
  event.recorded = true;
}

int wait_event_in_capture(Stream& stream, const Event& event) {
  LockGuard guard(timeline_lock());
  // An event of no, or of another, capture cannot be waited for inside one.
  if (!event.capture || (stream.capture && stream.capture != event.capture))
    return kCaptureUnsupported;
  if (!stream.capture) {
    stream.capture_tail.clear();
    join(*event.capture, stream);
  }
  add_missing(stream.capture_tail, event.nodes);
  return kSuccess;
}

}  // namespace simgpu
