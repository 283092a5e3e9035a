// The classic convolution API (torch uses it when its cuDNN v8 path is off): one algorithm, no
// workspace.
#include <string.h>

#include "dnn_handle.h"

using namespace simgpu;

struct cudnnConvolutionStruct {};

namespace {

Convolution shape(const char* kernel, const cudnnTensorStruct& filter,
                  const cudnnTensorStruct& output) {
  const double outputs_per_filter = filter.dims.empty() ? 1 : filter.dims[0];
  return {kernel, elements(output.dims), elements(filter.dims) / outputs_per_filter,
          precision_of(output.type)};
}

template <typename Perf>
cudnnStatus_t only_algorithm(int wanted, int* returned, Perf* results) {
  *returned = wanted > 0;
  if (wanted > 0) memset(static_cast<void*>(results), 0, sizeof *results);
  if (wanted > 0) results[0].algo = static_cast<decltype(results[0].algo)>(1);
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t no_workspace(size_t* bytes) {
  *bytes = 0;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

cudnnStatus_t cudnnCreateConvolutionDescriptor(cudnnConvolutionDescriptor_t* out) {
  *out = new cudnnConvolutionStruct;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroyConvolutionDescriptor(cudnnConvolutionDescriptor_t it) {
  delete it;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionNdDescriptor(cudnnConvolutionDescriptor_t, int, const int[],
                                              const int[], const int[], cudnnConvolutionMode_t,
                                              cudnnDataType_t) {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionGroupCount(cudnnConvolutionDescriptor_t, int) {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetConvolutionMathType(cudnnConvolutionDescriptor_t, cudnnMathType_t) {
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetConvolutionForwardAlgorithm_v7(cudnnHandle_t, const cudnnTensorDescriptor_t,
                                                     const cudnnFilterDescriptor_t,
                                                     const cudnnConvolutionDescriptor_t,
                                                     const cudnnTensorDescriptor_t, int wanted,
                                                     int* returned,
                                                     cudnnConvolutionFwdAlgoPerf_t* results) {
  return only_algorithm(wanted, returned, results);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataAlgorithm_v7(
    cudnnHandle_t, const cudnnFilterDescriptor_t, const cudnnTensorDescriptor_t,
    const cudnnConvolutionDescriptor_t, const cudnnTensorDescriptor_t, int wanted, int* returned,
    cudnnConvolutionBwdDataAlgoPerf_t* results) {
  return only_algorithm(wanted, returned, results);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterAlgorithm_v7(
    cudnnHandle_t, const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t,
    const cudnnConvolutionDescriptor_t, const cudnnFilterDescriptor_t, int wanted, int* returned,
    cudnnConvolutionBwdFilterAlgoPerf_t* results) {
  return only_algorithm(wanted, returned, results);
}
cudnnStatus_t cudnnFindConvolutionForwardAlgorithmEx(
    cudnnHandle_t, const cudnnTensorDescriptor_t, const void*, const cudnnFilterDescriptor_t,
    const void*, const cudnnConvolutionDescriptor_t, const cudnnTensorDescriptor_t, void*,
    int wanted, int* returned, cudnnConvolutionFwdAlgoPerf_t* results, void*, size_t) {
  return only_algorithm(wanted, returned, results);
}
cudnnStatus_t cudnnFindConvolutionBackwardDataAlgorithmEx(
    cudnnHandle_t, const cudnnFilterDescriptor_t, const void*, const cudnnTensorDescriptor_t,
    const void*, const cudnnConvolutionDescriptor_t, const cudnnTensorDescriptor_t, void*,
    int wanted, int* returned, cudnnConvolutionBwdDataAlgoPerf_t* results, void*, size_t) {
  return only_algorithm(wanted, returned, results);
}
cudnnStatus_t cudnnFindConvolutionBackwardFilterAlgorithmEx(
    cudnnHandle_t, const cudnnTensorDescriptor_t, const void*, const cudnnTensorDescriptor_t,
    const void*, const cudnnConvolutionDescriptor_t, const cudnnFilterDescriptor_t, void*,
    int wanted, int* returned, cudnnConvolutionBwdFilterAlgoPerf_t* results, void*, size_t) {
  return only_algorithm(wanted, returned, results);
}

cudnnStatus_t cudnnGetConvolutionForwardWorkspaceSize(cudnnHandle_t, const cudnnTensorDescriptor_t,
                                                      const cudnnFilterDescriptor_t,
                                                      const cudnnConvolutionDescriptor_t,
                                                      const cudnnTensorDescriptor_t,
                                                      cudnnConvolutionFwdAlgo_t, size_t* bytes) {
  return no_workspace(bytes);
}
cudnnStatus_t cudnnGetConvolutionBackwardDataWorkspaceSize(
    cudnnHandle_t, const cudnnFilterDescriptor_t, const cudnnTensorDescriptor_t,
    const cudnnConvolutionDescriptor_t, const cudnnTensorDescriptor_t,
    cudnnConvolutionBwdDataAlgo_t, size_t* bytes) {
  return no_workspace(bytes);
}
cudnnStatus_t cudnnGetConvolutionBackwardFilterWorkspaceSize(
    cudnnHandle_t, const cudnnTensorDescriptor_t, const cudnnTensorDescriptor_t,
    const cudnnConvolutionDescriptor_t, const cudnnFilterDescriptor_t,
    cudnnConvolutionBwdFilterAlgo_t, size_t* bytes) {
  return no_workspace(bytes);
}

cudnnStatus_t cudnnConvolutionForward(cudnnHandle_t handle, const void*,
                                      const cudnnTensorDescriptor_t, const void*,
                                      const cudnnFilterDescriptor_t w, const void*,
                                      const cudnnConvolutionDescriptor_t, cudnnConvolutionFwdAlgo_t,
                                      void*, size_t, const void*, const cudnnTensorDescriptor_t y,
                                      void*) {
  return run_convolution(handle, shape("implicit_convolve_sgemm", *w, *y));
}
cudnnStatus_t cudnnConvolutionBiasActivationForward(
    cudnnHandle_t handle, const void*, const cudnnTensorDescriptor_t, const void*,
    const cudnnFilterDescriptor_t w, const void*, const cudnnConvolutionDescriptor_t,
    cudnnConvolutionFwdAlgo_t, void*, size_t, const void*, const cudnnTensorDescriptor_t,
    const void*, const cudnnTensorDescriptor_t, const void*, const cudnnActivationDescriptor_t,
    const cudnnTensorDescriptor_t y, void*) {
  return run_convolution(handle, shape("implicit_convolve_sgemm_bias_activation", *w, *y));
}
cudnnStatus_t cudnnConvolutionBackwardData(cudnnHandle_t handle, const void*,
                                           const cudnnFilterDescriptor_t w, const void*,
                                           const cudnnTensorDescriptor_t dy, const void*,
                                           const cudnnConvolutionDescriptor_t,
                                           cudnnConvolutionBwdDataAlgo_t, void*, size_t,
                                           const void*, const cudnnTensorDescriptor_t, void*) {
  return run_convolution(handle, shape("dgrad_engine", *w, *dy));
}
cudnnStatus_t cudnnConvolutionBackwardFilter(cudnnHandle_t handle, const void*,
                                             const cudnnTensorDescriptor_t, const void*,
                                             const cudnnTensorDescriptor_t dy, const void*,
                                             const cudnnConvolutionDescriptor_t,
                                             cudnnConvolutionBwdFilterAlgo_t, void*, size_t,
                                             const void*, const cudnnFilterDescriptor_t dw, void*) {
  return run_convolution(handle, shape("wgrad_alg1_engine", *dw, *dy));
}

}  // extern "C"
