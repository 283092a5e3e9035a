// The backend (graph) API: descriptors remember what was set on them, and share it, because the
// caller destroys the parts once the whole is finalised. Executing a plan walks
//   plan -> engine configuration -> engine -> operation graph -> operations -> tensors
// and launches one kernel for the convolution of the graph, or one streaming kernel when there is
// none.
#include <string.h>

#include <map>
#include <memory>

#include "dnn_handle.h"

using namespace simgpu;

namespace {

struct Contents;
using Shared = std::shared_ptr<Contents>;

struct Attribute {
  std::vector<unsigned char> bytes;
  std::vector<Shared> parts;  // of type CUDNN_TYPE_BACKEND_DESCRIPTOR
  int64_t count = 0;
};

struct Contents {
  cudnnBackendDescriptorType_t type;
  std::map<int, Attribute> attributes;

  const Contents* part(int name) const {
    const auto found = attributes.find(name);
    return found == attributes.end() || found->second.parts.empty() ? nullptr
                                                                    : found->second.parts[0].get();
  }
};

struct Descriptor {
  Shared contents;
};

Descriptor& descriptor(cudnnBackendDescriptor_t handle) {
  return *static_cast<Descriptor*>(handle);
}

size_t size_of(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_DOUBLE:
    case CUDNN_TYPE_VOID_PTR:
      return 8;
    case CUDNN_TYPE_BOOLEAN:
    case CUDNN_TYPE_CHAR:
      return 1;
    case CUDNN_TYPE_FRACTION:
      return 16;
    default:
      return 4;  // enumerations, float, int32
  }
}

Shared make(cudnnBackendDescriptorType_t type) {
  return std::make_shared<Contents>(Contents{type, {}});
}

// What a heuristic finds: one configuration of one engine for the graph.
Shared only_configuration(const Contents& heuristic) {
  Shared engine = make(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  const auto graph = heuristic.attributes.find(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
  if (graph != heuristic.attributes.end())
    engine->attributes[CUDNN_ATTR_ENGINE_OPERATION_GRAPH] = graph->second;
  Shared configuration = make(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  Attribute holds;
  holds.parts.push_back(engine);
  holds.count = 1;
  configuration->attributes[CUDNN_ATTR_ENGINECFG_ENGINE] = holds;
  return configuration;
}

// Lists that are empty here: notes restrict which engines a program accepts, knobs are not
// modelled.
bool empty_list(cudnnBackendAttributeName_t name) {
  return name == CUDNN_ATTR_ENGINE_NUMERICAL_NOTE || name == CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE ||
         name == CUDNN_ATTR_ENGINE_KNOB_INFO;
}

cudnnStatus_t get_parts(const Contents& from, cudnnBackendAttributeName_t name, int64_t wanted,
                        int64_t* count, void* out) {
  std::vector<Shared> parts;
  const auto found = from.attributes.find(name);
  if (name == CUDNN_ATTR_ENGINEHEUR_RESULTS)
    parts.push_back(only_configuration(from));
  else if (found != from.attributes.end())
    parts = found->second.parts;
  if (count) *count = static_cast<int64_t>(parts.size());
  for (size_t i = 0; out && i < parts.size() && i < static_cast<size_t>(wanted); ++i)
    descriptor(static_cast<cudnnBackendDescriptor_t*>(out)[i]).contents = parts[i];
  return CUDNN_STATUS_SUCCESS;
}

std::vector<int> dims_of(const Contents* tensor) {
  std::vector<int> dims;
  if (!tensor) return dims;
  const auto found = tensor->attributes.find(CUDNN_ATTR_TENSOR_DIMENSIONS);
  if (found == tensor->attributes.end()) return dims;
  for (size_t at = 0; at + 8 <= found->second.bytes.size(); at += 8) {
    int64_t dim;
    memcpy(&dim, found->second.bytes.data() + at, sizeof dim);
    dims.push_back(static_cast<int>(dim));
  }
  return dims;
}

cudnnDataType_t type_of(const Contents* tensor) {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  const auto found = tensor->attributes.find(CUDNN_ATTR_TENSOR_DATA_TYPE);
  if (found != tensor->attributes.end() && found->second.bytes.size() >= sizeof type)
    memcpy(&type, found->second.bytes.data(), sizeof type);
  return type;
}

struct Direction {
  cudnnBackendDescriptorType_t operation;
  int filter, output;  // attribute names; "output" is the tensor on the y side
  const char* kernel;
};

constexpr Direction kDirections[] = {
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
     "sm80_xmma_fprop_implicit_gemm_tilesize128x128x32_cudnn"},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
     "sm80_xmma_dgrad_implicit_gemm_tilesize128x128x32_cudnn"},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
     "sm80_xmma_wgrad_implicit_gemm_tilesize128x128x32_cudnn"},
};

// False when the operation is no convolution whose tensors are known.
bool as_convolution(const Contents& operation, Convolution* out) {
  for (const Direction& direction : kDirections) {
    if (operation.type != direction.operation) continue;
    const Contents* output = operation.part(direction.output);
    const std::vector<int> filter = dims_of(operation.part(direction.filter));
    if (!output || filter.empty() || filter[0] <= 0) return false;
    *out = {direction.kernel, elements(dims_of(output)), elements(filter) / filter[0],
            precision_of(type_of(output))};
    return true;
  }
  return false;
}

const Attribute* operations_of(const Contents& plan) {
  const Contents* configuration = plan.part(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
  const Contents* engine =
      configuration ? configuration->part(CUDNN_ATTR_ENGINECFG_ENGINE) : nullptr;
  const Contents* graph = engine ? engine->part(CUDNN_ATTR_ENGINE_OPERATION_GRAPH) : nullptr;
  if (!graph) return nullptr;
  const auto found = graph->attributes.find(CUDNN_ATTR_OPERATIONGRAPH_OPS);
  return found == graph->attributes.end() ? nullptr : &found->second;
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t type,
                                           cudnnBackendDescriptor_t* out) {
  *out = new Descriptor{make(type)};
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t handle) {
  delete static_cast<Descriptor*>(handle);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendInitialize(cudnnBackendDescriptor_t) {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnBackendFinalize(cudnnBackendDescriptor_t) {
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendSetAttribute(cudnnBackendDescriptor_t handle,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t count,
                                       const void* elements) {
  Attribute attribute;
  attribute.count = count;
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) {
    const cudnnBackendDescriptor_t* parts = static_cast<const cudnnBackendDescriptor_t*>(elements);
    for (int64_t i = 0; i < count; ++i)
      if (parts[i]) attribute.parts.push_back(descriptor(parts[i]).contents);
  } else if (elements) {
    const unsigned char* from = static_cast<const unsigned char*>(elements);
    attribute.bytes.assign(from, from + static_cast<size_t>(count) * size_of(type));
  }
  descriptor(handle).contents->attributes[name] = std::move(attribute);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendGetAttribute(cudnnBackendDescriptor_t handle,
                                       cudnnBackendAttributeName_t name,
                                       cudnnBackendAttributeType_t type, int64_t wanted,
                                       int64_t* count, void* elements) {
  const Contents& from = *descriptor(handle).contents;
  if (type == CUDNN_TYPE_BACKEND_DESCRIPTOR) return get_parts(from, name, wanted, count, elements);
  const auto found = from.attributes.find(name);
  const bool known = found != from.attributes.end();
  const int64_t have = empty_list(name) ? 0 : known ? found->second.count : 1;
  if (count) *count = have;
  const size_t bytes = static_cast<size_t>(wanted < have ? wanted : have) * size_of(type);
  if (!elements || bytes == 0) return CUDNN_STATUS_SUCCESS;
  if (known && found->second.bytes.size() >= bytes)
    memcpy(elements, found->second.bytes.data(), bytes);
  else
    memset(elements, 0, bytes);  // sizes of workspaces, indices: none needed, the first
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan,
                                  cudnnBackendDescriptor_t) {
  const Attribute* operations = operations_of(*descriptor(plan).contents);
  if (operations) {
    for (const Shared& operation : operations->parts) {
      Convolution work;
      if (as_convolution(*operation, &work)) return run_convolution(handle, work);
    }
  }
  constexpr double kUnknownBytes = 1 << 22;
  return run_streaming(handle, "cudnn_generated_fort_native_graph", kUnknownBytes);
}

}  // extern "C"
