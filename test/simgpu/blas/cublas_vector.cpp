// Level 1 and 2 and the triangular solves that torch uses: memory-bound kernels over their
// operands.
#include "contraction.h"
#include "cublas_handle.h"
#include "test/simgpu/core/device.h"
#include "test/simgpu/core/waiting.h"

using namespace simgpu;

namespace {

// With the result on the host the call is synchronous, as in the real library; the value is zero.
template <typename T>
cublasStatus_t dot(cublasHandle_t handle, int64_t n, T* result) {
  const double bytes = 2.0 * double(n) * sizeof(T);
  if (const int failed = run_vector_kernel("dot_kernel", bytes, handle->stream))
    return blas_status(failed);
  if (handle->pointer_mode != CUBLAS_POINTER_MODE_HOST) return CUBLAS_STATUS_SUCCESS;
  Stream* stream = resolve_stream(handle->stream);
  *result = T{};
  return blas_status(synchronize_stream(*stream, handle->stream));
}

}  // namespace

extern "C" {

#define GPUSTALL_SIM_GEMV(letter, T)                                                             \
  cublasStatus_t cublas##letter##gemv_v2(cublasHandle_t handle, cublasOperation_t, int m, int n, \
                                         const T*, const T*, int, const T*, int, const T*, T*,   \
                                         int) {                                                  \
    return blas_status(                                                                          \
        run_vector_kernel("gemvNSP_kernel", double(m) * n * sizeof(T), handle->stream));         \
  }                                                                                              \
  cublasStatus_t cublas##letter##trsm_v2(cublasHandle_t handle, cublasSideMode_t side,           \
                                         cublasFillMode_t, cublasOperation_t, cublasDiagType_t,  \
                                         int m, int n, const T*, const T*, int, T*, int) {       \
    const int k = side == CUBLAS_SIDE_LEFT ? m : n;                                              \
    return blas_status(run_gemm({m, n, k, 1, Precision::Single, false, false}, handle->stream)); \
  }
GPUSTALL_SIM_GEMV(S, float)
GPUSTALL_SIM_GEMV(D, double)
GPUSTALL_SIM_GEMV(C, cuComplex)
GPUSTALL_SIM_GEMV(Z, cuDoubleComplex)
#undef GPUSTALL_SIM_GEMV

cublasStatus_t cublasSdot_v2(cublasHandle_t handle, int n, const float*, int, const float*, int,
                             float* result) {
  return dot(handle, n, result);
}
cublasStatus_t cublasDdot_v2(cublasHandle_t handle, int n, const double*, int, const double*, int,
                             double* result) {
  return dot(handle, n, result);
}
cublasStatus_t cublasDotEx(cublasHandle_t handle, int n, const void*, cudaDataType, int,
                           const void*, cudaDataType, int, void* result, cudaDataType,
                           cudaDataType) {
  return dot(handle, n, static_cast<uint16_t*>(result));
}

}  // extern "C"
