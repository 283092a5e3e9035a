// cuptiGetGraphId, GetGraphExecId, GetGraphNodeId: the handles are the model's own objects, whose
// ids are those that the activities carry.
#include "../core/capture.h"
#include "entry.h"

using namespace simgpu::cupti;

CUptiResult cuptiGetGraphId(CUgraph graph, uint32_t* id) {
  GPUSTALL_CUPTI_GATE();
  if (graph == nullptr || id == nullptr) return leave(CUPTI_ERROR_INVALID_PARAMETER);
  *id = reinterpret_cast<const simgpu::Graph*>(graph)->id;
  return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiGetGraphExecId(CUgraphExec graph, uint32_t* id) {
  GPUSTALL_CUPTI_GATE();
  if (graph == nullptr || id == nullptr) return leave(CUPTI_ERROR_INVALID_PARAMETER);
  *id = reinterpret_cast<const simgpu::GraphExec*>(graph)->graph.id;
  return leave(CUPTI_SUCCESS);
}

CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t* id) {
  GPUSTALL_CUPTI_GATE();
  if (node == nullptr || id == nullptr) return leave(CUPTI_ERROR_INVALID_PARAMETER);
  const auto* model = reinterpret_cast<const simgpu::GraphNode*>(node);
  const uint64_t graph = model->graph == nullptr ? 0 : model->graph->id;
  *id = (graph << 32) | (model->index + 1);  // as ../core/graph_replay.cpp numbers them
  return leave(CUPTI_SUCCESS);
}
