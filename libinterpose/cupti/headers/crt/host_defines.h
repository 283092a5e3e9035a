// Stands in for the compiler-dependent header of the CUDA toolkit that the PyPI wheels of CUDA 13
// leave out (nvidia-cuda-crt has it): what the other headers need of it for a plain C++ compiler on
// Linux. Used only when the real one is absent.
#pragma once

#define CUDARTAPI
#define CUDARTAPI_CDECL
#define __align__(n) __attribute__((aligned(n)))
#define __annotate__(a) __attribute__((a))
#define __builtin_align__(n) __align__(n)
#define __cudart_builtin__
#define __device_builtin__
#define __device_builtin_surface_type__
#define __device_builtin_texture_type__
#define __location__(a)
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __no_return__ __attribute__((noreturn))
#define __launch_bounds__(...)
#define __specialization_static static
