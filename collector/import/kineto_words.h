// What the words of torch.profiler mean, in every dialect since 2021: categories of rows, names of
// runtime and driver calls (CUDA and ROCm), kinds of copies, overheads. Tables only.
#pragma once
#include <string_view>

#include "collector/recording.h"

namespace gpustall::collect {

enum class KinetoRow : uint8_t {
  Ignored,  // annotations drawn onto the device, spans, counters
  Operator,
  Annotation,
  Python,
  Call,
  Kernel,
  Memcpy,
  Memset,
  Overhead,
  Sync,  // what a stream waited for: no work
  Own,   // of an export of gpustall
};
KinetoRow row_of(std::string_view category, std::string_view name);

// "cudaMemcpyAsync_v3020", "hipMemcpyWithStream", "cuLaunchKernel": CallOther if it is none of
// ours.
trace::Call call_of(std::string_view name);

struct CopyKinds {
  uint8_t copy = kCopyUnknown, from = kMemoryUnknown, to = kMemoryUnknown;
};
CopyKinds copy_kinds(std::string_view name);  // "Memcpy HtoD (Pageable -> Device)"

OverheadKind overhead_kind(std::string_view name);

}  // namespace gpustall::collect
