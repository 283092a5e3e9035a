// Replaying a graph: its nodes get times relative to each other, the whole is one interval on the
// stream.
//   node start = max(graph start, ends of needed nodes + gap)
#include <algorithm>
#include <unordered_map>

#include "background.h"
#include "capture.h"
#include "host_clock.h"
#include "settings.h"
#include "status.h"

namespace simgpu {
namespace {

constexpr int64_t kEmptyGraphNs = 1000;

// Offsets of each node's start and end from the graph's start; returns the length of the whole.
int64_t lay_out(const Graph& graph, std::vector<Placed>* times) {
  const int64_t gap = static_cast<int64_t>(settings().graph_gap_ns);
  int64_t length = kEmptyGraphNs;
  times->resize(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    Placed& at = (*times)[i];
    for (const GraphNode* needed : graph.nodes[i]->needs)
      at.start_ns = std::max(at.start_ns, (*times)[needed->index].end_ns + gap);
    at.end_ns = at.start_ns + graph.nodes[i]->work.duration_ns;
    length = std::max(length, at.end_ns);
  }
  return length;
}

Activity graph_activity(const Stream& stream, const Graph& graph, uint32_t correlation) {
  Activity whole{};
  whole.kind = ActivityKind::GraphLaunch;
  whole.device = stream.device->ordinal;
  whole.context = stream.device->context_uid;
  whole.stream = stream.id;
  whole.correlation = correlation;
  whole.graph_id = graph.id;
  return whole;
}

void run_node(const GraphNode& node, const Activity& whole, const Placed& at) {
  const Effect& effect = node.work.effect;
  if (effect.kind == Effect::Kind::HostCall)
    call_in_background(whole.start_ns + at.end_ns, effect.call, effect.user);
  else
    apply_effect(effect, {node.work.background, node.work.host_reads ? whole.end_ns : kNeverDue});
  if (node.work.engine == Engine::None) return;
  Activity activity = node.work.shape;
  activity.device = whole.device;
  activity.context = whole.context;
  activity.correlation = whole.correlation;
  activity.start_ns = whole.start_ns + at.start_ns;
  activity.end_ns = whole.start_ns + at.end_ns;
  activity.graph_id = whole.graph_id;
  // As CUPTI does: the graph in the upper half, the node in the lower.
  activity.graph_node_id = (static_cast<uint64_t>(whole.graph_id) << 32) | (node.index + 1);
  activity.graph_node = true;
  announce(activity);
}

}  // namespace

GraphExec* instantiate(const Graph& graph) {
  GraphExec* exec = new GraphExec;
  exec->graph.id = graph.id;
  for (const auto& node : graph.nodes) {
    auto copy = std::make_unique<GraphNode>(*node);
    copy->graph = &exec->graph;
    for (GraphNode*& needed : copy->needs) needed = exec->graph.nodes[needed->index].get();
    exec->graph.nodes.push_back(std::move(copy));
  }
  return exec;
}

int launch_graph(Stream& stream, GraphExec& exec, uint32_t correlation) {
  if (capturing(stream)) return kNotSupported;  // child graphs are not modelled
  std::vector<Placed> times;
  const int64_t length = lay_out(exec.graph, &times);
  Activity whole = graph_activity(stream, exec.graph, correlation);
  wait_for_room(stream, correlation);
  {
    LockGuard guard(timeline_lock());
    whole.start_ns = earliest_start(stream, Engine::Compute, now_ns());
    whole.end_ns = whole.start_ns + length;
    occupy(stream, Engine::Compute, whole.end_ns);
  }
  for (size_t i = 0; i < times.size(); ++i) run_node(*exec.graph.nodes[i], whole, times[i]);
  announce(whole);
  return kSuccess;
}

}  // namespace simgpu
