// Recording streams into a graph (cudaStreamBeginCapture ... EndCapture), and replaying it.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "export.h"
#include "timeline.h"

namespace simgpu {

struct Graph;

struct GraphNode {
  Work work;
  bool empty = false;  // only an edge holder
  std::vector<GraphNode*> needs;
  Graph* graph = nullptr;
  size_t index = 0;
};

struct Graph {
  uint32_t id = 0;
  std::vector<std::unique_ptr<GraphNode>> nodes;  // in recording order, which is a topological one
};

// A graph ready to run; shares the nodes with nobody, so that the graph may be destroyed.
struct GraphExec {
  Graph graph;
};

struct Capture {
  std::unique_ptr<Graph> graph;
  Stream* origin = nullptr;
  unsigned long long id = 0;
  int mode = 0;
  bool invalid = false;
  std::vector<Stream*> joined;  // every stream that records into it
};

GPUSTALL_SIM_API bool capturing(const Stream&);
GPUSTALL_SIM_API int begin_capture(Stream&, int mode);
GPUSTALL_SIM_API int end_capture(Stream&, Graph**);
// A call that a capture forbids was made on the stream: the capture is lost.
GPUSTALL_SIM_API void invalidate_capture(Stream&);
int record_node(Stream&, const Work&);
// An event recorded in, and waited for by, capturing streams.
void record_event_in_capture(Stream&, Event&);
int wait_event_in_capture(Stream&, const Event&);

GPUSTALL_SIM_API GraphExec* instantiate(const Graph&);
GPUSTALL_SIM_API int launch_graph(Stream&, GraphExec&, uint32_t correlation);

}  // namespace simgpu
