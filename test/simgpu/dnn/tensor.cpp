// Tensor, filter and activation descriptors of the classic API.
#include "dnn_handle.h"

namespace {

template <typename T>
cudnnStatus_t create(T** out) {
  *out = new T;
  return CUDNN_STATUS_SUCCESS;
}

template <typename T>
cudnnStatus_t destroy(T* object) {
  delete object;
  return CUDNN_STATUS_SUCCESS;
}

void describe(cudnnTensorStruct& to, cudnnDataType_t type, int count, const int dims[],
              const int strides[]) {
  to.type = type;
  to.dims.assign(dims, dims + count);
  if (strides) to.strides.assign(strides, strides + count);
}

cudnnStatus_t read(const cudnnTensorStruct& from, int wanted, cudnnDataType_t* type, int* count,
                   int dims[], int strides[]) {
  if (type) *type = from.type;
  if (count) *count = static_cast<int>(from.dims.size());
  for (int i = 0; i < wanted && i < static_cast<int>(from.dims.size()); ++i) {
    const size_t at = static_cast<size_t>(i);
    if (dims) dims[i] = from.dims[at];
    if (strides) strides[i] = at < from.strides.size() ? from.strides[at] : 1;
  }
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

struct cudnnActivationStruct {};

extern "C" {

cudnnStatus_t cudnnCreateTensorDescriptor(cudnnTensorDescriptor_t* out) {
  return create(out);
}
cudnnStatus_t cudnnDestroyTensorDescriptor(cudnnTensorDescriptor_t tensor) {
  return destroy(tensor);
}
cudnnStatus_t cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t tensor, cudnnDataType_t type,
                                         int count, const int dims[], const int strides[]) {
  describe(*tensor, type, count, dims, strides);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetTensor4dDescriptor(cudnnTensorDescriptor_t tensor, cudnnTensorFormat_t,
                                         cudnnDataType_t type, int n, int c, int h, int w) {
  const int dims[] = {n, c, h, w};
  describe(*tensor, type, 4, dims, nullptr);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetTensorNdDescriptor(const cudnnTensorDescriptor_t tensor, int wanted,
                                         cudnnDataType_t* type, int* count, int dims[],
                                         int strides[]) {
  return read(*tensor, wanted, type, count, dims, strides);
}

cudnnStatus_t cudnnCreateFilterDescriptor(cudnnFilterDescriptor_t* out) {
  return create(out);
}
cudnnStatus_t cudnnDestroyFilterDescriptor(cudnnFilterDescriptor_t filter) {
  return destroy(filter);
}
cudnnStatus_t cudnnSetFilterNdDescriptor(cudnnFilterDescriptor_t filter, cudnnDataType_t type,
                                         cudnnTensorFormat_t, int count, const int dims[]) {
  describe(*filter, type, count, dims, nullptr);
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetFilterNdDescriptor(const cudnnFilterDescriptor_t filter, int wanted,
                                         cudnnDataType_t* type, cudnnTensorFormat_t* format,
                                         int* count, int dims[]) {
  if (format) *format = CUDNN_TENSOR_NCHW;
  return read(*filter, wanted, type, count, dims, nullptr);
}

cudnnStatus_t cudnnCreateActivationDescriptor(cudnnActivationDescriptor_t* out) {
  return create(out);
}
cudnnStatus_t cudnnDestroyActivationDescriptor(cudnnActivationDescriptor_t it) {
  return destroy(it);
}
cudnnStatus_t cudnnSetActivationDescriptor(cudnnActivationDescriptor_t, cudnnActivationMode_t,
                                           cudnnNanPropagation_t, double) {
  return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"
