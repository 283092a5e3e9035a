// Recurrent networks. The layout of the weight space matters, because torch builds its parameters
// from it: per layer and direction all input-to-hidden and hidden-to-hidden matrices, then all
// biases, without gaps.
#include "dnn_handle.h"

using namespace simgpu;

struct cudnnRNNStruct {
  cudnnRNNMode_t mode = CUDNN_LSTM;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  int64_t input = 0, hidden = 0, layers = 1, directions = 1;

  int64_t gates() const { return mode == CUDNN_LSTM ? 4 : mode == CUDNN_GRU ? 3 : 1; }
  int64_t input_of(int64_t pseudo_layer) const {
    return pseudo_layer < directions ? input : hidden * directions;
  }
  // Matrices of the gates on the input come first, those on the hidden state second.
  int64_t columns(int64_t pseudo_layer, int64_t linear) const {
    return linear < gates() ? input_of(pseudo_layer) : hidden;
  }
  int64_t matrices(int64_t pseudo_layer) const {
    return gates() * hidden * (input_of(pseudo_layer) + hidden);
  }
  int64_t size_of(int64_t pseudo_layer) const {
    return matrices(pseudo_layer) + 2 * gates() * hidden;
  }
};

struct cudnnRNNDataStruct {
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  int64_t steps = 0, batch = 0, width = 0;
};

struct cudnnDropoutStruct {};

namespace {

int64_t element_bytes(cudnnDataType_t type) {
  return type == CUDNN_DATA_DOUBLE ? 8 : type == CUDNN_DATA_FLOAT ? 4 : 2;
}

void describe(cudnnTensorDescriptor_t tensor, cudnnDataType_t type, int64_t rows, int64_t columns) {
  tensor->type = type;
  tensor->dims = {1, static_cast<int>(rows), static_cast<int>(columns)};
  tensor->strides = {static_cast<int>(rows * columns), static_cast<int>(columns), 1};
}

// One kernel per layer: the real library fuses the time steps into a persistent kernel.
cudnnStatus_t run_layers(cudnnHandle_t handle, const cudnnRNNStruct& net,
                         const cudnnRNNDataStruct& data, const char* kernel) {
  for (int64_t layer = 0; layer < net.layers; ++layer) {
    const int64_t pseudo = layer * net.directions;
    const double outputs = double(data.steps) * double(data.batch) * double(net.hidden) *
                           double(net.gates()) * double(net.directions);
    const double window = double(net.input_of(pseudo) + net.hidden);
    const cudnnStatus_t status =
        run_convolution(handle, {kernel, outputs, window, precision_of(net.type)});
    if (status != CUDNN_STATUS_SUCCESS) return status;
  }
  return CUDNN_STATUS_SUCCESS;
}

template <typename T>
cudnnStatus_t create(T** out) {
  *out = new T;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnCreateRNNDescriptor(cudnnRNNDescriptor_t* out) {
  return create(out);
}
cudnnStatus_t cudnnDestroyRNNDescriptor(cudnnRNNDescriptor_t net) {
  delete net;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t net, cudnnRNNAlgo_t,
                                       cudnnRNNMode_t mode, cudnnRNNBiasMode_t,
                                       cudnnDirectionMode_t direction, cudnnRNNInputMode_t,
                                       cudnnDataType_t type, cudnnDataType_t, cudnnMathType_t,
                                       int32_t input, int32_t hidden, int32_t projected,
                                       int32_t layers, cudnnDropoutDescriptor_t, uint32_t) {
  if (projected != hidden) return CUDNN_STATUS_NOT_SUPPORTED;  // projections are not modelled
  *net = {mode, type, input, hidden, layers, direction == CUDNN_BIDIRECTIONAL ? 2 : 1};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnCreateRNNDataDescriptor(cudnnRNNDataDescriptor_t* out) {
  return create(out);
}
cudnnStatus_t cudnnDestroyRNNDataDescriptor(cudnnRNNDataDescriptor_t data) {
  delete data;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t data, cudnnDataType_t type,
                                        cudnnRNNDataLayout_t, int steps, int batch, int width,
                                        const int[], void*) {
  *data = {type, steps, batch, width};
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNWeightSpaceSize(cudnnHandle_t, cudnnRNNDescriptor_t net, size_t* bytes) {
  int64_t elements = 0;
  for (int64_t pseudo = 0; pseudo < net->layers * net->directions; ++pseudo)
    elements += net->size_of(pseudo);
  *bytes = static_cast<size_t>(elements * element_bytes(net->type));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNWeightParams(cudnnHandle_t, cudnnRNNDescriptor_t net, int32_t pseudo_layer,
                                      size_t, const void* space, int32_t linear,
                                      cudnnTensorDescriptor_t matrix, void** matrix_at,
                                      cudnnTensorDescriptor_t bias, void** bias_at) {
  int64_t start = 0;
  for (int64_t before = 0; before < pseudo_layer; ++before) start += net->size_of(before);
  int64_t offset = start;
  for (int64_t before = 0; before < linear; ++before)
    offset += net->hidden * net->columns(pseudo_layer, before);
  const int64_t bias_offset = start + net->matrices(pseudo_layer) + linear * net->hidden;
  char* base = static_cast<char*>(const_cast<void*>(space));
  // torch asks for one of the two at a time, and passes null for the other.
  if (matrix) describe(matrix, net->type, net->hidden, net->columns(pseudo_layer, linear));
  if (bias) describe(bias, net->type, net->hidden, 1);
  if (matrix_at) *matrix_at = base + offset * element_bytes(net->type);
  if (bias_at) *bias_at = base + bias_offset * element_bytes(net->type);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetRNNTempSpaceSizes(cudnnHandle_t, cudnnRNNDescriptor_t net, cudnnForwardMode_t,
                                        cudnnRNNDataDescriptor_t data, size_t* work,
                                        size_t* reserve) {
  const int64_t elements = data->steps * data->batch * net->hidden * net->directions * net->layers;
  if (work) *work = static_cast<size_t>(elements * element_bytes(net->type));
  if (reserve) *reserve = static_cast<size_t>(elements * net->gates() * element_bytes(net->type));
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t net, cudnnForwardMode_t,
                              const int32_t[], cudnnRNNDataDescriptor_t x, const void*,
                              cudnnRNNDataDescriptor_t, void*, cudnnTensorDescriptor_t, const void*,
                              void*, cudnnTensorDescriptor_t, const void*, void*, size_t,
                              const void*, size_t, void*, size_t, void*) {
  return run_layers(handle, *net, *x, "RNN_blockPersist_fp_LSTM");
}
cudnnStatus_t cudnnRNNBackwardData_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t net,
                                      const int32_t[], cudnnRNNDataDescriptor_t, const void*,
                                      const void*, cudnnRNNDataDescriptor_t x, void*,
                                      cudnnTensorDescriptor_t, const void*, const void*, void*,
                                      cudnnTensorDescriptor_t, const void*, const void*, void*,
                                      size_t, const void*, size_t, void*, size_t, void*) {
  return run_layers(handle, *net, *x, "RNN_blockPersist_bp_LSTM");
}
cudnnStatus_t cudnnRNNBackwardWeights_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t net,
                                         cudnnWgradMode_t, const int32_t[],
                                         cudnnRNNDataDescriptor_t x, const void*,
                                         cudnnTensorDescriptor_t, const void*,
                                         cudnnRNNDataDescriptor_t, const void*, size_t, void*,
                                         size_t, void*, size_t, void*) {
  return run_layers(handle, *net, *x, "RNN_wgrad_gemm");
}

cudnnStatus_t cudnnCreateDropoutDescriptor(cudnnDropoutDescriptor_t* out) {
  return create(out);
}
cudnnStatus_t cudnnDestroyDropoutDescriptor(cudnnDropoutDescriptor_t dropout) {
  delete dropout;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDropoutGetStatesSize(cudnnHandle_t, size_t* bytes) {
  *bytes = 1 << 20;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t, cudnnHandle_t handle, float,
                                        void* states, size_t bytes, unsigned long long) {
  if (!states) return CUDNN_STATUS_SUCCESS;  // no dropout: no states to prepare
  return run_streaming(handle, "cudnn_dropout_init_states", double(bytes));
}
cudnnStatus_t cudnnRestoreDropoutDescriptor(cudnnDropoutDescriptor_t, cudnnHandle_t, float, void*,
                                            size_t, unsigned long long) {
  return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"
