// cuBLASLt: descriptors are boxes that remember sizes; matmul takes the GEMM's size from them.
#include <cublasLt.h>
#include <string.h>

#include "contraction.h"
#include "test/simgpu/core/launch.h"
#include "test/simgpu/core/process.h"

using namespace simgpu;

namespace {

struct Layout {
  cudaDataType type;
  uint64_t rows, cols;
  int32_t batch = 1;
};

struct Description {
  cublasComputeType_t compute;
  int32_t transpose_a = CUBLAS_OP_N, transpose_b = CUBLAS_OP_N;
};

const Layout& layout(cublasLtMatrixLayout_t handle) {
  return *reinterpret_cast<const Layout*>(handle);
}

bool single_on_tensor_cores(cublasComputeType_t compute) {
  return compute == CUBLAS_COMPUTE_32F_FAST_TF32 || compute == CUBLAS_COMPUTE_32F_FAST_16F ||
         compute == CUBLAS_COMPUTE_32F_FAST_16BF;
}

template <typename T>
cublasStatus_t box(T** out) {
  *out = reinterpret_cast<T*>(new uint64_t[16]());
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  if (ensure_started()) return CUBLAS_STATUS_NOT_INITIALIZED;
  static std::atomic<bool> loaded;
  load_library_once(&loaded);
  return box(handle);
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete[] reinterpret_cast<uint64_t*>(handle);
  return CUBLAS_STATUS_SUCCESS;
}
size_t cublasLtGetVersion() {
  return 130000;
}
size_t cublasLtGetCudartVersion() {
  return 13000;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* out, cudaDataType type,
                                          uint64_t rows, uint64_t cols, int64_t) {
  *out = reinterpret_cast<cublasLtMatrixLayout_t>(new Layout{type, rows, cols});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t handle) {
  delete reinterpret_cast<Layout*>(handle);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t handle,
                                                cublasLtMatrixLayoutAttribute_t key,
                                                const void* value, size_t bytes) {
  Layout* to = reinterpret_cast<Layout*>(handle);
  if (key == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT && bytes == sizeof to->batch)
    memcpy(&to->batch, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* out, cublasComputeType_t compute,
                                        cudaDataType) {
  *out = reinterpret_cast<cublasLtMatmulDesc_t>(new Description{compute});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t handle) {
  delete reinterpret_cast<Description*>(handle);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t handle,
                                              cublasLtMatmulDescAttributes_t key, const void* value,
                                              size_t bytes) {
  Description* to = reinterpret_cast<Description*>(handle);
  if (bytes != sizeof(int32_t)) return CUBLAS_STATUS_SUCCESS;
  if (key == CUBLASLT_MATMUL_DESC_TRANSA) memcpy(&to->transpose_a, value, bytes);
  if (key == CUBLASLT_MATMUL_DESC_TRANSB) memcpy(&to->transpose_b, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* out) {
  return box(out);
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t handle) {
  delete[] reinterpret_cast<uint64_t*>(handle);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t,
                                                    cublasLtMatmulPreferenceAttributes_t,
                                                    const void*, size_t) {
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatmulPreference_t, int wanted,
                                              cublasLtMatmulHeuristicResult_t results[],
                                              int* found) {
  *found = wanted > 0;
  if (wanted > 0) memset(&results[0], 0, sizeof results[0]);  // state 0: usable
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t description, const void*,
                              const void*, cublasLtMatrixLayout_t a, const void*,
                              cublasLtMatrixLayout_t, const void*, const void*,
                              cublasLtMatrixLayout_t, void*, cublasLtMatrixLayout_t d,
                              const cublasLtMatmulAlgo_t*, void*, size_t, cudaStream_t stream) {
  const Description& how = *reinterpret_cast<const Description*>(description);
  Gemm gemm;
  gemm.m = static_cast<int64_t>(layout(d).rows);
  gemm.n = static_cast<int64_t>(layout(d).cols);
  gemm.transpose_a = how.transpose_a != CUBLAS_OP_N;
  gemm.transpose_b = how.transpose_b != CUBLAS_OP_N;
  gemm.k = static_cast<int64_t>(gemm.transpose_a ? layout(a).rows : layout(a).cols);
  gemm.batch = layout(d).batch;
  gemm.precision = precision_of(layout(a).type, single_on_tensor_cores(how.compute));
  return run_gemm(gemm, stream) == 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

}  // extern "C"
