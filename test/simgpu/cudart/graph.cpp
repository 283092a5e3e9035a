// Graphs that came from a capture: instantiate, launch, look into.
#include <stdio.h>

#include "entry.h"
#include "test/simgpu/core/capture.h"
#include "test/simgpu/core/driver_scope.h"
#include "test/simgpu/core/host_clock.h"
#include "test/simgpu/core/settings.h"

using namespace simgpu;

namespace {

Graph* as_graph(cudaGraph_t graph) {
  return reinterpret_cast<Graph*>(graph);
}

// As the real calls do: fills what fits, or only counts when there is no array.
int list_nodes(const std::vector<GraphNode*>& nodes, cudaGraphNode_t* out, size_t* count) {
  if (!count) return kInvalidValue;
  for (size_t i = 0; out && i < *count; ++i)
    out[i] = i < nodes.size() ? reinterpret_cast<cudaGraphNode_t>(nodes[i]) : nullptr;
  if (!out || *count > nodes.size()) *count = nodes.size();
  return kSuccess;
}

int nodes_of(cudaGraph_t graph, cudaGraphNode_t* out, size_t* count, bool roots_only) {
  std::vector<GraphNode*> nodes;
  for (const auto& node : as_graph(graph)->nodes)
    if (!roots_only || node->needs.empty()) nodes.push_back(node.get());
  return list_nodes(nodes, out, count);
}

int make_exec(cudaGraphExec_t* exec, cudaGraph_t graph) {
  if (!exec || !graph) return kInvalidValue;
  *exec = reinterpret_cast<cudaGraphExec_t>(instantiate(*as_graph(graph)));
  return kSuccess;
}

int start(cudaGraphExec_t exec, cudaStream_t handle, bool per_thread) {
  Stream* stream = resolve_stream(handle, per_thread);
  if (!stream || !exec) return kInvalidHandle;
  cuGraphLaunch_params params{as_handle<CUgraphExec>(exec), as_handle<CUstream>(handle)};
  DriverScope scope(GPUSTALL_DRIVER(cuGraphLaunch), &params);
  const int64_t from = now_ns();
  const int status =
      launch_graph(*stream, *reinterpret_cast<GraphExec*>(exec), scope.correlation());
  spin_until(from + static_cast<int64_t>(settings().call_ns));
  return scope.done(status);
}

cudaGraphNodeType type_of(const GraphNode& node) {
  if (node.work.effect.kind == Effect::Kind::HostCall) return cudaGraphNodeTypeHost;
  switch (node.work.shape.kind) {
    case ActivityKind::Memcpy:
      return cudaGraphNodeTypeMemcpy;
    case ActivityKind::Memset:
      return cudaGraphNodeTypeMemset;
    default:
      return cudaGraphNodeTypeKernel;
  }
}

int print_dot(const Graph& graph, const char* path) {
  FILE* file = fopen(path, "w");
  if (!file) return kInvalidValue;
  fprintf(file, "digraph graph_%u {\n", graph.id);
  for (const auto& node : graph.nodes) {
    fprintf(file, "  n%zu [label=\"%s\"];\n", node->index,
            node->work.shape.name ? node->work.shape.name : "");
    for (const GraphNode* needed : node->needs)
      fprintf(file, "  n%zu -> n%zu;\n", needed->index, node->index);
  }
  fprintf(file, "}\n");
  fclose(file);
  return kSuccess;
}

}  // namespace

extern "C" {

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph,
                                 unsigned long long flags) {
  cudaGraphInstantiate_v12000_params params{exec, graph, flags};
  return runtime_call(GPUSTALL_RUNTIME(cudaGraphInstantiate, v12000), &params,
                      [&] { return make_exec(exec, graph); });
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  cudaGraphInstantiateWithFlags_v11040_params params{exec, graph, flags};
  return runtime_call(GPUSTALL_RUNTIME(cudaGraphInstantiateWithFlags, v11040), &params,
                      [&] { return make_exec(exec, graph); });
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  cudaGraphLaunch_v10000_params params{exec, stream};
  return runtime_call(GPUSTALL_RUNTIME(cudaGraphLaunch, v10000), &params,
                      [&] { return start(exec, stream, false); });
}
cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t exec, cudaStream_t stream) {
  cudaGraphLaunch_v10000_params params{exec, stream};
  return runtime_call(GPUSTALL_RUNTIME(cudaGraphLaunch_ptsz, v10000), &params,
                      [&] { return start(exec, stream, true); });
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) {
  return runtime_call(GPUSTALL_RUNTIME(cudaGraphUpload, v10000), nullptr, [] { return kSuccess; });
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  return runtime_call(GPUSTALL_RUNTIME(cudaGraphExecDestroy, v10000), nullptr,
                      [&] { return delete reinterpret_cast<GraphExec*>(exec), kSuccess; });
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return runtime_call(GPUSTALL_RUNTIME(cudaGraphDestroy, v10000), nullptr,
                      [&] { return delete as_graph(graph), kSuccess; });
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return runtime_call(GPUSTALL_RUNTIME(cudaGraphGetNodes, v10000), nullptr,
                      [&] { return nodes_of(graph, nodes, count, false); });
}
cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return runtime_call(GPUSTALL_RUNTIME(cudaGraphGetRootNodes, v10000), nullptr,
                      [&] { return nodes_of(graph, nodes, count, true); });
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* needed,
                                         cudaGraphEdgeData*, size_t* count) {
  return runtime_call(GPUSTALL_RUNTIME(cudaGraphNodeGetDependencies, v12030), nullptr, [&] {
    return list_nodes(reinterpret_cast<GraphNode*>(node)->needs, needed, count);
  });
}
cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return runtime_call(GPUSTALL_RUNTIME(cudaGraphNodeGetType, v10000), nullptr, [&] {
    *type = type_of(*reinterpret_cast<GraphNode*>(node));
    return kSuccess;
  });
}
cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char* path, unsigned) {
  return runtime_call(GPUSTALL_RUNTIME(cudaGraphDebugDotPrint, v11030), nullptr,
                      [&] { return print_dot(*as_graph(graph), path); });
}

}  // extern "C"
