// CUDA stream handle -> CUPTI's stream id, the number that activity records carry.
// cuptiGetStreamIdEx takes a lock of CUPTI's, so the answer is kept per (context, handle) until the
// stream dies.
#pragma once
#include <cupti.h>

#include <cstdint>

namespace gpustall::interpose::cupti {

// 0 when it is unknown. `per_thread`: a null handle means the calling thread's default stream.
uint32_t stream_id(CUcontext context, CUstream stream, bool per_thread) noexcept;
// The handle may come back for another stream.
void forget_stream(CUcontext context, CUstream stream) noexcept;

}  // namespace gpustall::interpose::cupti
