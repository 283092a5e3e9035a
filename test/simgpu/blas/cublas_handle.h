// A cuBLAS handle.
#pragma once
#include <cublas_v2.h>

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
  cublasPointerMode_t pointer_mode = CUBLAS_POINTER_MODE_HOST;
  cublasAtomicsMode_t atomics = CUBLAS_ATOMICS_NOT_ALLOWED;
};

namespace simgpu {

inline cublasStatus_t blas_status(int result) {
  if (result == 0) return CUBLAS_STATUS_SUCCESS;
  return result == 3 ? CUBLAS_STATUS_NOT_INITIALIZED : CUBLAS_STATUS_EXECUTION_FAILED;
}

inline bool allows_tensor32(const cublasContext& handle) {
  return (handle.math & CUBLAS_TF32_TENSOR_OP_MATH) == CUBLAS_TF32_TENSOR_OP_MATH;
}

}  // namespace simgpu
