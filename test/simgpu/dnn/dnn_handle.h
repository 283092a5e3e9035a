// A cuDNN handle, the classic descriptors, and how any of its operations is launched.
#pragma once
#include <cudnn.h>

#include <cstdint>
#include <vector>

#include "test/simgpu/core/duration_model.h"

struct cudnnContext {
  cudaStream_t stream = nullptr;
};

struct cudnnTensorStruct {  // tensors and filters alike
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  std::vector<int> dims, strides;
  int group = 0;
};
struct cudnnFilterStruct : cudnnTensorStruct {};

namespace simgpu {

double elements(const std::vector<int>& dims);
double bytes_of(const cudnnTensorStruct& tensor);
Precision precision_of(cudnnDataType_t type);

// One convolution, in any direction: every output takes window multiply-adds.
struct Convolution {
  const char* kernel;
  double outputs, window;
  Precision precision;
};
cudnnStatus_t run_convolution(cudnnHandle_t handle, const Convolution&);
// A kernel that is bound by the bytes that it touches.
cudnnStatus_t run_streaming(cudnnHandle_t handle, const char* kernel, double bytes);
cudnnStatus_t dnn_status(int result);

}  // namespace simgpu
