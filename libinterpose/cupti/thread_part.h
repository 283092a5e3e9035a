// What the CUDA and NVTX sources keep per thread, in ThreadState's own storage: zero at first,
// wiped by fork, owned by its thread, nothing to destroy.
#pragma once
#include <cstdint>

#include "libinterpose/thread_state.h"

namespace gpustall::interpose::cupti {

// A call between its enter and exit callbacks. CUPTI's own correlationData is not trusted with the
// start time: an exit may come without its enter (callbacks enabled in between).
struct OpenCall {
  int64_t start;
  uint32_t correlation;
  uint16_t cbid;
  uint8_t domain;
  uint8_t recorded;  // 0: the driver's share of a call that is recorded already
};
inline constexpr uint32_t kMaxOpenCalls = 4;

// A pushed NVTX range.
struct OpenRange {
  int64_t start;
  uint32_t domain_name, name;
  uint32_t domain;  // number of the domain, for its pop
  uint32_t kept;
};
inline constexpr uint32_t kMaxOpenRanges = 32;

struct CudaThread {
  uint32_t session;  // the attachment that `calls` belong to
  uint32_t open_calls;
  uint32_t open_ranges;
  uint32_t overflowed_ranges;  // pushes beyond the stack's end, whose pops must be skipped
  OpenCall calls[kMaxOpenCalls];
  OpenRange ranges[kMaxOpenRanges];
};

inline CudaThread& cuda_thread(ThreadState& thread) noexcept {
  return part_of<CudaThread>(thread, ThreadPart::Cupti);
}

}  // namespace gpustall::interpose::cupti
