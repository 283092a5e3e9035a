// Handles of cuDNN, and launching its kernels: driver calls with nothing of the runtime around
// them.
#include "dnn_handle.h"

#include "test/simgpu/core/device.h"
#include "test/simgpu/core/launch.h"
#include "test/simgpu/core/process.h"

using namespace simgpu;

namespace simgpu {
namespace {

cudnnStatus_t launch_one(cudnnHandle_t handle, const char* kernel, double outputs,
                         int64_t duration) {
  Stream* stream = resolve_stream(handle->stream);
  if (!stream) return CUDNN_STATUS_BAD_PARAM;
  Shape shape;
  shape.grid[0] = static_cast<uint32_t>(outputs / 8192) + 1;
  shape.block[0] = 256;
  shape.dynamic_smem = 73728;
  return dnn_status(launch_library_kernel(kernel, stream, handle->stream, shape, duration));
}

}  // namespace

double elements(const std::vector<int>& dims) {
  double product = 1;
  for (const int dim : dims) product *= dim;
  return product;
}

double bytes_of(const cudnnTensorStruct& tensor) {
  const bool half = precision_of(tensor.type) == Precision::Half;
  return elements(tensor.dims) * (tensor.type == CUDNN_DATA_DOUBLE ? 8 : half ? 2 : 4);
}

Precision precision_of(cudnnDataType_t type) {
  switch (type) {
    case CUDNN_DATA_FLOAT:
      return Precision::Tensor32;
    case CUDNN_DATA_DOUBLE:
      return Precision::Double;
    default:
      return Precision::Half;
  }
}

cudnnStatus_t dnn_status(int result) {
  if (result == 0) return CUDNN_STATUS_SUCCESS;
  return result == kNotInitialized ? CUDNN_STATUS_NOT_INITIALIZED : CUDNN_STATUS_EXECUTION_FAILED;
}

cudnnStatus_t run_convolution(cudnnHandle_t handle, const Convolution& work) {
  if (const Status refused = ensure_started()) return dnn_status(refused);
  return launch_one(handle, work.kernel, work.outputs,
                    contraction_duration(work.outputs * work.window, work.outputs, work.precision));
}

cudnnStatus_t run_streaming(cudnnHandle_t handle, const char* kernel, double bytes) {
  if (const Status refused = ensure_started()) return dnn_status(refused);
  return launch_one(handle, kernel, bytes / 4, streaming_duration(bytes));
}

}  // namespace simgpu

extern "C" {

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  if (const Status refused = ensure_started()) return dnn_status(refused);
  static std::atomic<bool> loaded;
  ready_device();
  load_library_once(&loaded);
  *handle = new cudnnContext;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  delete handle;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudaStream_t* stream) {
  *stream = handle->stream;
  return CUDNN_STATUS_SUCCESS;
}
size_t cudnnGetVersion() {
  return CUDNN_VERSION;
}
size_t cudnnGetMaxDeviceVersion() {
  return 800;
}
size_t cudnnGetCudartVersion() {
  return 13000;
}
cudnnStatus_t cudnnGetProperty(libraryPropertyType type, int* value) {
  *value = type == MAJOR_VERSION   ? CUDNN_MAJOR
           : type == MINOR_VERSION ? CUDNN_MINOR
                                   : CUDNN_PATCHLEVEL;
  return CUDNN_STATUS_SUCCESS;
}
const char* cudnnGetErrorString(cudnnStatus_t status) {
  return status == CUDNN_STATUS_SUCCESS ? "CUDNN_STATUS_SUCCESS"
                                        : "CUDNN_STATUS error of the simulated device";
}
void cudnnGetLastErrorString(char* message, size_t bytes) {
  if (bytes) message[0] = 0;
}
cudnnStatus_t cudnnGraphVersionCheck() {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnOpsVersionCheck() {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCnnVersionCheck() {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnAdvVersionCheck() {
  return CUDNN_STATUS_SUCCESS;
}

}  // extern "C"
