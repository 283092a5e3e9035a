// The GEMM families: every element type, plain, batched, strided and extended.
#include "contraction.h"
#include "cublas_handle.h"

using namespace simgpu;

namespace {

struct Size {
  int64_t m, n, k, batch;
};

cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t a, cublasOperation_t b, Size size,
                    int data_type) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  const Gemm work{size.m,
                  size.n,
                  size.k,
                  size.batch,
                  precision_of(data_type, allows_tensor32(*handle)),
                  a != CUBLAS_OP_N,
                  b != CUBLAS_OP_N};
  return blas_status(run_gemm(work, handle->stream));
}

}  // namespace

extern "C" {

// One row per element type: its letter, C type and data type.
#define GPUSTALL_SIM_GEMM(letter, T, type)                                                         \
  cublasStatus_t cublas##letter##gemm_v2(cublasHandle_t handle, cublasOperation_t a,               \
                                         cublasOperation_t b, int m, int n, int k, const T*,       \
                                         const T*, int, const T*, int, const T*, T*, int) {        \
    return gemm(handle, a, b, {m, n, k, 1}, type);                                                 \
  }                                                                                                \
  cublasStatus_t cublas##letter##gemmBatched(                                                      \
      cublasHandle_t handle, cublasOperation_t a, cublasOperation_t b, int m, int n, int k,        \
      const T*, const T* const*, int, const T* const*, int, const T*, T* const*, int, int batch) { \
    return gemm(handle, a, b, {m, n, k, batch}, type);                                             \
  }                                                                                                \
  cublasStatus_t cublas##letter##gemmStridedBatched(                                               \
      cublasHandle_t handle, cublasOperation_t a, cublasOperation_t b, int m, int n, int k,        \
      const T*, const T*, int, long long, const T*, int, long long, const T*, T*, int, long long,  \
      int batch) {                                                                                 \
    return gemm(handle, a, b, {m, n, k, batch}, type);                                             \
  }
GPUSTALL_SIM_GEMM(S, float, CUDA_R_32F)
GPUSTALL_SIM_GEMM(D, double, CUDA_R_64F)
GPUSTALL_SIM_GEMM(C, cuComplex, CUDA_C_32F)
GPUSTALL_SIM_GEMM(Z, cuDoubleComplex, CUDA_C_64F)
#undef GPUSTALL_SIM_GEMM

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t a, cublasOperation_t b, int m,
                            int n, int k, const void*, const void*, cudaDataType type, int,
                            const void*, cudaDataType, int, const void*, void*, cudaDataType, int,
                            cublasComputeType_t, cublasGemmAlgo_t) {
  return gemm(handle, a, b, {m, n, k, 1}, type);
}
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t a,
                                          cublasOperation_t b, int m, int n, int k, const void*,
                                          const void*, cudaDataType type, int, long long,
                                          const void*, cudaDataType, int, long long, const void*,
                                          void*, cudaDataType, int, long long, int batch,
                                          cublasComputeType_t, cublasGemmAlgo_t) {
  return gemm(handle, a, b, {m, n, k, batch}, type);
}
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t a, cublasOperation_t b,
                                   int m, int n, int k, const void*, const void* const[],
                                   cudaDataType type, int, const void* const[], cudaDataType, int,
                                   const void*, void* const[], cudaDataType, int, int batch,
                                   cublasComputeType_t, cublasGemmAlgo_t) {
  return gemm(handle, a, b, {m, n, k, batch}, type);
}
cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t a, cublasOperation_t b, int m,
                             int n, int k, const float*, const void*, cudaDataType type, int,
                             const void*, cudaDataType, int, const float*, void*, cudaDataType,
                             int) {
  return gemm(handle, a, b, {m, n, k, 1}, type);
}

}  // extern "C"
